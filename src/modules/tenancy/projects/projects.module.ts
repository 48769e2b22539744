import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MembershipReader } from '../../access/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { OrganizationsModule } from '../organizations/index.js';
import { onAccountDeleted, UsersModule } from '../../identity/users/index.js';
import { IngestionPolicyReader } from './ingestion-policy.reader.js';
import { ProjectActivityController } from './activity/project-activity.controller.js';
import { ProjectCapabilitiesController } from './capabilities/project-capabilities.controller.js';
import { ProjectLifecycleController } from './lifecycle/project-lifecycle.controller.js';
import { ProjectLifecycleService } from './lifecycle/project-lifecycle.service.js';
import { ProjectRemovalRepository } from './lifecycle/project-removal.repository.js';
import { LivingProjectsReader } from './lifecycle/project-states.reader.js';
import { ProjectsOfDeletedOrganizations } from './lifecycle/projects-of-deleted-organizations.js';
import { ProjectRemovalService } from './lifecycle/project-removal.service.js';
import { ProjectMembersController } from './members/project-members.controller.js';
import { ProjectMembersRepository } from './members/project-members.repository.js';
import { ProjectMembersService } from './members/project-members.service.js';
import { Memberships } from './memberships.js';
import { ProjectAuthorization } from './project.authorization.js';
import { ProjectChangesNotifier } from './project-changes.notifier.js';
import { Project } from './project.entity.js';
import { ProjectMember } from './project-member.entity.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsReader } from './projects.reader.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { SavedView } from './saved-views/saved-view.entity.js';
import { SavedViewsController } from './saved-views/saved-views.controller.js';
import { SavedViewsRepository } from './saved-views/saved-views.repository.js';
import { SavedViewsService } from './saved-views/saved-views.service.js';
import { ProjectSettingsController } from './settings/project-settings.controller.js';
import { ProjectTimeZoneReader } from './settings/project-time-zone.reader.js';
import { ProjectSettings } from './settings/project-settings.entity.js';
import { ProjectSettingsRepository } from './settings/project-settings.repository.js';
import { ProjectSettingsService } from './settings/project-settings.service.js';
import { SavedViewSearch } from './saved-views/saved-view-search.reader.js';

@Module({
  imports: [
    AuditModule,
    DiscoveryModule,
    OrganizationsModule,
    UsersModule,
    TypeOrmModule.forFeature([Project, ProjectMember, ProjectSettings, SavedView]),
  ],
  controllers: [
    ProjectsController,
    ProjectActivityController,
    ProjectCapabilitiesController,
    ProjectLifecycleController,
    ProjectMembersController,
    ProjectSettingsController,
    SavedViewsController,
  ],
  providers: [
    SavedViewSearch,
    ProjectsService,
    ProjectsReader,
    ProjectsRepository,
    onAccountDeleted(ProjectsRepository, (projects, userId, tx) => projects.handOver(userId, tx)),
    ProjectAuthorization,
    ProjectChangesNotifier,
    ProjectLifecycleService,
    ProjectRemovalService,
    ProjectsOfDeletedOrganizations,
    ProjectRemovalRepository,
    LivingProjectsReader,
    ProjectMembersService,
    ProjectMembersRepository,
    ProjectSettingsService,
    ProjectSettingsRepository,
    SavedViewsService,
    SavedViewsRepository,
    IngestionPolicyReader,
    ProjectTimeZoneReader,
    { provide: MembershipReader, useClass: Memberships },
  ],
  exports: [
    LivingProjectsReader,
    ProjectsReader,
    ProjectAuthorization,
    ProjectChangesNotifier,
    IngestionPolicyReader,
    ProjectTimeZoneReader,
    MembershipReader,
  ],
})
export class ProjectsModule {}
