import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../../platform/http/inputs.js';
import { CapabilitiesResponse, capabilitiesResponse } from './project-capabilities.dto.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/capabilities')
export class ProjectCapabilitiesController {
  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectCapabilities',
    summary: 'Delivery capabilities of the user',
    description: 'What the role of the user in this project allows on Delivery, now.',
    answer: CapabilitiesResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): CapabilitiesResponse {
    return capabilitiesResponse(scope);
  }
}
