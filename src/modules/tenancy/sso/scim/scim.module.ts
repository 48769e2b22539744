import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ScimAuthenticator } from '../../../access/index.js';
import { AuditModule } from '../../../identity/audit/index.js';
import { AuthModule } from '../../../identity/auth/index.js';
import { SecurityEventsModule } from '../../../identity/security-events/index.js';
import { SessionsModule } from '../../../identity/sessions/index.js';
import { UsersModule } from '../../../identity/users/index.js';
import { OrganizationsModule } from '../../organizations/index.js';
import { SsoModule } from '../sso.module.js';
import { ScimDiscoveryController } from './discovery/scim-discovery.controller.js';
import { ScimGroupMembersRepository } from './group-members/scim-group-members.repository.js';
import { ScimGroupsController } from './groups/scim-groups.controller.js';
import { ScimGroupsRepository } from './groups/scim-groups.repository.js';
import { ScimGroupsService } from './groups/scim-groups.service.js';
import { ScimMembershipsRepository } from './memberships/scim-memberships.repository.js';
import { ScimMembershipsService } from './memberships/scim-memberships.service.js';
import { ScimExchange } from './protocol/scim-exchange.js';
import { ScimGroupMember } from './scim-group-member.entity.js';
import { ScimGroup } from './scim-group.entity.js';
import { ScimToken } from './scim-token.entity.js';
import { ScimUser } from './scim-user.entity.js';
import { ScimTokenAuthenticator } from './tokens/scim-token.authenticator.js';
import { ScimTokensController } from './tokens/scim-tokens.controller.js';
import { ScimTokensRepository } from './tokens/scim-tokens.repository.js';
import { ScimTokensService } from './tokens/scim-tokens.service.js';
import { ScimUsersController } from './users/scim-users.controller.js';
import { ScimUsersRepository } from './users/scim-users.repository.js';
import { ScimUsersService } from './users/scim-users.service.js';

/** Provisioning of accounts and groups by identity providers (RFC 7643 and RFC 7644). */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    OrganizationsModule,
    SecurityEventsModule,
    SessionsModule,
    SsoModule,
    UsersModule,
    TypeOrmModule.forFeature([ScimGroup, ScimGroupMember, ScimToken, ScimUser]),
  ],
  controllers: [ScimDiscoveryController, ScimGroupsController, ScimTokensController, ScimUsersController],
  providers: [
    ScimExchange,
    ScimGroupMembersRepository,
    ScimGroupsRepository,
    ScimGroupsService,
    ScimMembershipsRepository,
    ScimMembershipsService,
    ScimTokenAuthenticator,
    { provide: ScimAuthenticator, useExisting: ScimTokenAuthenticator },
    ScimTokensRepository,
    ScimTokensService,
    ScimUsersRepository,
    ScimUsersService,
  ],
  exports: [ScimAuthenticator, ScimMembershipsService, ScimTokenAuthenticator],
})
export class ScimModule {}
