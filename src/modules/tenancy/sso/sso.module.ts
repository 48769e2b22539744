import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { OAuthModule } from '../../identity/oauth/index.js';
import { SecurityEventsModule } from '../../identity/security-events/index.js';
import { SessionsModule } from '../../identity/sessions/index.js';
import { OrganizationsModule } from '../organizations/index.js';
import { ProvisionedMembershipsService } from './provisioned-memberships.service.js';
import { SsoBrowser } from './sso-browser.js';
import { CLIENT_SECRET, SsoConnection } from './sso-connection.entity.js';
import { SsoConnectionsRepository } from './sso-connections.repository.js';
import { SsoDomain } from './sso-domain.entity.js';
import { SsoDomainsRepository } from './sso-domains.repository.js';
import { SsoMembership } from './sso-membership.entity.js';
import { SsoMembershipsRepository } from './sso-memberships.repository.js';
import { SsoRefusalsRepository } from './sso-refusals.repository.js';
import { SsoRoles } from './sso-roles.entity.js';
import { SsoRolesRepository } from './sso-roles.repository.js';
import { ID_TOKEN, SsoSession } from './sso-session.entity.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';
import { SsoSignInService } from './sso-sign-in.service.js';
import { SsoStart } from './sso-start.entity.js';
import { SsoStartsRepository } from './sso-starts.repository.js';
import { SsoUsedAssertion } from './sso-used-assertion.entity.js';

/** Provides the services that OpenID Connect, SAML and SCIM share. */
@Module({
  imports: [
    OAuthModule,
    OrganizationsModule,
    SecurityEventsModule,
    SessionsModule,
    TypeOrmModule.forFeature([
      SsoConnection,
      SsoDomain,
      SsoMembership,
      SsoRoles,
      SsoSession,
      SsoStart,
      SsoUsedAssertion,
    ]),
  ],
  providers: [
    ProvisionedMembershipsService,
    SsoBrowser,
    SsoConnectionsRepository,
    SsoDomainsRepository,
    SsoMembershipsRepository,
    SsoRefusalsRepository,
    SsoRolesRepository,
    SsoSessionsRepository,
    SsoSignInService,
    SsoStartsRepository,
    ...sealedColumns(CLIENT_SECRET, ID_TOKEN),
  ],
  exports: [
    ProvisionedMembershipsService,
    SsoBrowser,
    SsoConnectionsRepository,
    SsoDomainsRepository,
    SsoMembershipsRepository,
    SsoRefusalsRepository,
    SsoRolesRepository,
    SsoSessionsRepository,
    SsoSignInService,
    SsoStartsRepository,
  ],
})
export class SsoModule {}
