import { Controller, Delete, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../../platform/http/inputs.js';
import { ProjectStateResponse } from '../projects.dto.js';
import { ProjectNotArchived } from '../projects.errors.js';
import { ProjectLifecycleService } from './project-lifecycle.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id')
export class ProjectLifecycleController {
  constructor(private readonly lifecycle: ProjectLifecycleService) {}

  @Post('archive')
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'archiveProject',
    summary: 'Archive: reads stay, ingestion stops',
    description: 'Archiving again answers the same. The project counts in plan limits until it is deleted.',
    answer: ProjectStateResponse,
  })
  archive(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectStateResponse> {
    return this.lifecycle.archive(scope);
  }

  @Post('restore')
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'restoreProject',
    summary: 'Restore an archived project',
    description: 'Restoring again answers the same.',
    answer: ProjectStateResponse,
  })
  restore(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectStateResponse> {
    return this.lifecycle.restore(scope);
  }

  @Delete()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'deleteProject',
    summary: 'Delete an archived project (204)',
    description:
      'It is gone at once, with its keys; its events and other rows are removed in the background. What it used this month stays counted until the month ends.',
    status: 204,
    errors: [ProjectNotArchived],
  })
  delete(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<void> {
    return this.lifecycle.delete(scope);
  }
}
