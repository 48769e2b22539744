import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { UsersModule } from '../../identity/users/index.js';
import { OrganizationMembersController } from './members.controller.js';
import { MembersReader } from './members.reader.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { MembershipNotifier } from './membership.notifier.js';
import { MembershipsOfDeletedAccounts } from './memberships-of-deleted-accounts.js';
import { OrganizationAdministrationService } from './organization-administration.service.js';
import { OrganizationCreationService } from './organization-creation.service.js';
import { OrganizationAuthorization } from './organization.authorization.js';
import { OrganizationChangesNotifier } from './organization-changes.notifier.js';
import { OrganizationDeletionService } from './organization-deletion.service.js';
import { OrganizationDirectoryReader } from './organization-directory.reader.js';
import { Organization } from './organization.entity.js';
import { OrganizationMember } from './organization-member.entity.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsReader } from './organizations.reader.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { OrganizationsService } from './organizations.service.js';

@Module({
  imports: [AuditModule, DiscoveryModule, UsersModule, TypeOrmModule.forFeature([Organization, OrganizationMember])],
  controllers: [OrganizationsController, OrganizationMembersController],
  providers: [
    OrganizationsService,
    OrganizationsReader,
    OrganizationsRepository,
    MembersService,
    MembersReader,
    MembersRepository,
    MembershipChangesService,
    MembershipNotifier,
    MembershipsOfDeletedAccounts,
    OrganizationAuthorization,
    OrganizationAdministrationService,
    OrganizationChangesNotifier,
    OrganizationCreationService,
    OrganizationDeletionService,
    OrganizationDirectoryReader,
  ],
  exports: [
    OrganizationAuthorization,
    OrganizationChangesNotifier,
    OrganizationsReader,
    MembersReader,
    MembershipChangesService,
    MembershipNotifier,
  ],
})
export class OrganizationsModule {}
