import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../../identity/audit/index.js';
import { OrganizationsModule } from '../../organizations/index.js';
import { ScimModule } from '../scim/index.js';
import { SsoConnection } from '../sso-connection.entity.js';
import { SsoDomain } from '../sso-domain.entity.js';
import { SsoRoles } from '../sso-roles.entity.js';
import { SsoModule } from '../sso.module.js';
import { ConnectionIdentitiesRepository } from './connection-identities.repository.js';
import { ConnectionSettingsService } from './connection-settings.service.js';
import { SsoConnectionsController } from './connections.controller.js';
import { SsoConnectionsService } from './connections.service.js';
import { DomainClaimsRepository } from './domain-claims.repository.js';
import { DomainRecords } from './domain-records.js';
import { SsoDomainsController } from './domains.controller.js';
import { SsoDomainsService } from './domains.service.js';
import { SsoRolesController } from './roles.controller.js';
import { SsoRemovalModule } from './sso-removal.module.js';
import { SsoRoleSettingsService } from './roles.service.js';

/** An organization's settings for sign-in through identity providers: domains, connections and roles by group. */
@Module({
  imports: [
    AuditModule,
    OrganizationsModule,
    ScimModule,
    SsoModule,
    SsoRemovalModule,
    TypeOrmModule.forFeature([SsoConnection, SsoDomain, SsoRoles]),
  ],
  controllers: [SsoConnectionsController, SsoDomainsController, SsoRolesController],
  providers: [
    ConnectionIdentitiesRepository,
    ConnectionSettingsService,
    DomainClaimsRepository,
    DomainRecords,
    SsoConnectionsService,
    SsoDomainsService,
    SsoRoleSettingsService,
  ],
})
export class SsoSettingsModule {}
