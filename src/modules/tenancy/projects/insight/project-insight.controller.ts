import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { auditEventResponse, AuditReader } from '../../../identity/audit/index.js';
import { ActivityQuery, ActivityResponse, CapabilitiesResponse, capabilitiesResponse } from './project-insight.dto.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id')
export class ProjectInsightController {
  constructor(private readonly audit: AuditReader) {}

  @Get('capabilities')
  @Requires({ project: 'viewer' })
  @Documented({
    summary: 'Delivery capabilities of the user',
    description: 'What the role of the user in this project allows on Delivery, now.',
    answer: CapabilitiesResponse,
  })
  capabilities(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): CapabilitiesResponse {
    return capabilitiesResponse(scope);
  }

  @Get('activity')
  @Requires({ project: 'viewer' })
  @Documented({ summary: 'Audit log of the project', description: 'Newest first.', answer: ActivityResponse })
  async activity(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: ActivityQuery,
  ): Promise<ActivityResponse> {
    const { items, total } = await this.audit.ofProject(scope, query);
    return { items: items.map(auditEventResponse), total, limit: query.limit, offset: query.offset };
  }
}
