import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../platform/http/inputs.js';
import { DashboardResponse } from './dashboard.dto.js';
import { DashboardService } from './dashboard.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/dashboard')
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectDashboard',
    summary: 'Dashboard summary',
    description: 'The last 24 hours by event timestamp; exact, and all counts of one moment.',
    answer: DashboardResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<DashboardResponse> {
    return this.dashboard.get(scope);
  }
}
