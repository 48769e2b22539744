import { Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, type ProjectMemberScope, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import { SlugInUse } from '../organizations/index.js';
import { CreateProjectRequest, ProjectResponse, RenameProjectRequest, SelectProjectRequest } from './projects.dto.js';
import { ProjectPlanLimit } from './projects.errors.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('projects')
@Controller('v1/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get()
  @Requires()
  @Documented({
    operationId: 'listProjects',
    summary: 'Accessible projects',
    description: 'Those of all organizations of the caller in which the caller has a role.',
    answer: [ProjectResponse],
  })
  list(@Scope() scope: UserScope): Promise<ProjectResponse[]> {
    return this.projects.list(scope);
  }

  @Post()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'createProject',
    summary: 'Create a project',
    description:
      'Every member of the organization becomes a member with the same role. Archived projects count in the plan limit until they are deleted.',
    status: 201,
    answer: ProjectResponse,
    errors: [SlugInUse, ProjectPlanLimit],
  })
  create(@Scope() scope: OrganizationScope, @Body() body: CreateProjectRequest): Promise<ProjectResponse> {
    return this.projects.create(scope, body);
  }

  @Post('select')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'selectProject',
    summary: 'Select the current project',
    description: 'Kept on the user until they select another one or are no member of this one any more.',
    answer: ProjectResponse,
  })
  select(@Scope() scope: ProjectMemberScope, @Body() _body: SelectProjectRequest): Promise<ProjectResponse> {
    return this.projects.select(scope);
  }

  @Get(':project_id')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProject',
    summary: 'One project',
    description: 'For those who have a role in it, by the organization or by itself.',
    answer: ProjectResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectResponse> {
    return this.projects.get(scope);
  }

  @Patch(':project_id')
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'updateProject',
    summary: 'Rename',
    description: 'Changes name, slug or both; fields that are left out stay as they are.',
    answer: ProjectResponse,
    errors: [SlugInUse],
  })
  rename(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Body() body: RenameProjectRequest,
  ): Promise<ProjectResponse> {
    return this.projects.rename(scope, body);
  }
}
