import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../platform/http/inputs.js';
import { ProjectHealthResponse } from './project-health.dto.js';
import { ProjectHealthService } from './project-health.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/health')
export class ProjectHealthController {
  constructor(private readonly health: ProjectHealthService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectHealth',
    summary: 'Ingestion health and onboarding state',
    description: 'Worked out when it is asked for.',
    answer: ProjectHealthResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectHealthResponse> {
    return this.health.get(scope);
  }
}
