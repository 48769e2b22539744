import { Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { ReplaceSettingsRequest, SettingsResponse } from './project-settings.dto.js';
import { ProjectSettingsService } from './project-settings.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/settings')
export class ProjectSettingsController {
  constructor(private readonly settings: ProjectSettingsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectSettings',
    summary: 'Project settings',
    description: 'The defaults while never set.',
    answer: SettingsResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<SettingsResponse> {
    return this.settings.get(scope);
  }

  @Put()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'replaceProjectSettings',
    summary: 'Replace the project settings',
    description: 'Replaces them all: a field that is left out takes its default. Stored events stay as they are.',
    answer: SettingsResponse,
  })
  replace(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Body() body: ReplaceSettingsRequest,
  ): Promise<SettingsResponse> {
    return this.settings.replace(scope, body);
  }
}
