import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApiKey,
  type ApiKeyScope,
  OrganizationNotFound,
  type ProjectMemberScope,
  Requires,
} from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import {
  ApiKeyNotActive,
  InvalidApiKey,
  MissingReadScope,
  ProjectHasNoOrganization,
} from '../../entitlement/api-keys/index.js';
import { CurrentUsageResponse, DailyUsageQuery, DailyUsageResponse, UsageQuery, UsageResponse } from './usage.dto.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { UnsupportedPeriod, UsageService } from './usage.service.js';

@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getUsage',
    summary: 'Usage by event',
    description: 'An unsupported period answers 422 with the sentence `period must be one of: 24h, 7d, 30d, month`.',
    answer: UsageResponse,
    errors: [UnsupportedPeriod],
  })
  byEvent(@Scope() scope: ProjectMemberScope, @Query() query: UsageQuery): Promise<UsageResponse> {
    return this.usage.byEvent(scope, query.period);
  }

  @Get('current')
  @ApiKey('events:read')
  @Documented({
    operationId: 'getCurrentUsage',
    summary: "Organization usage of the key's project",
    description: 'Of the whole organization, not of the project of the key alone.',
    answer: CurrentUsageResponse,
    errors: [InvalidApiKey, ApiKeyNotActive, MissingReadScope, ProjectHasNoOrganization, OrganizationNotFound],
  })
  current(@Scope() scope: ApiKeyScope): Promise<CurrentUsageResponse> {
    return this.usage.current(scope);
  }
}

@ApiTags('projects')
@Controller('v1/projects')
export class ProjectUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get(':project_id/usage/daily')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectDailyUsage',
    summary: 'Events per day',
    description: 'UTC days, ascending; days without events are left out.',
    answer: DailyUsageResponse,
    errors: [ArchiveUnavailable],
  })
  daily(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: DailyUsageQuery,
  ): Promise<DailyUsageResponse> {
    return this.usage.daily(scope, query.days);
  }
}
