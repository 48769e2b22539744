import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { auditEventResponse, AuditReader } from '../../../identity/audit/index.js';
import { ActivityQuery, ActivityResponse } from './project-activity.dto.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/activity')
export class ProjectActivityController {
  constructor(private readonly audit: AuditReader) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listProjectActivity',
    summary: 'Audit log of the project',
    description: 'Newest first.',
    answer: ActivityResponse,
  })
  async list(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: ActivityQuery,
  ): Promise<ActivityResponse> {
    const { items, total } = await this.audit.ofProject(scope, query);
    return { items: items.map(auditEventResponse), total, limit: query.limit, offset: query.offset };
  }
}
