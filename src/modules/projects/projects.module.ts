import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MembershipReader } from '../../platform/access/index.js';
import { OrganizationsModule } from '../organizations/index.js';
import { Memberships } from './memberships.js';
import { Project } from './project.entity.js';
import { ProjectMember } from './project-member.entity.js';
import { ProjectsOfDeletedAccounts } from './projects-of-deleted-accounts.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';

@Module({
  imports: [OrganizationsModule, TypeOrmModule.forFeature([Project, ProjectMember])],
  controllers: [ProjectsController],
  providers: [
    ProjectsService,
    ProjectsRepository,
    ProjectsOfDeletedAccounts,
    { provide: MembershipReader, useClass: Memberships },
  ],
  exports: [ProjectsRepository, MembershipReader],
})
export class ProjectsModule {}
