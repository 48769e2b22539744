import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { UsersModule } from '../../identity/users/index.js';
import { OrganizationMembersController } from './members.controller.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';
import { MembershipChanges } from './membership-changes.js';
import { MembershipNotices } from './membership-notices.js';
import { MembershipsOfDeletedAccounts } from './memberships-of-deleted-accounts.js';
import { OrganizationCreation } from './on-organization-created.js';
import { OrganizationActs } from './organization-acts.js';
import { OrganizationChanges } from './organization-changes.js';
import { Organization } from './organization.entity.js';
import { OrganizationMember } from './organization-member.entity.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { OrganizationsService } from './organizations.service.js';

@Module({
  imports: [AuditModule, DiscoveryModule, UsersModule, TypeOrmModule.forFeature([Organization, OrganizationMember])],
  controllers: [OrganizationsController, OrganizationMembersController],
  providers: [
    OrganizationsService,
    OrganizationsRepository,
    MembersService,
    MembersRepository,
    MembershipChanges,
    MembershipNotices,
    MembershipsOfDeletedAccounts,
    OrganizationActs,
    OrganizationChanges,
    OrganizationCreation,
  ],
  exports: [
    OrganizationActs,
    OrganizationChanges,
    OrganizationsRepository,
    MembersRepository,
    MembershipChanges,
    MembershipNotices,
  ],
})
export class OrganizationsModule {}
