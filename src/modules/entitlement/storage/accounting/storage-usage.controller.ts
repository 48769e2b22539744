import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Query, Scope } from '../../../../platform/http/inputs.js';
import { ProjectQuery } from '../../api-keys/index.js';
import { StorageUsageResponse } from './storage-usage.dto.js';
import { StorageUsageService } from './storage-usage.service.js';

@ApiTags('core')
@Controller('v1/core/usage')
export class StorageUsageController {
  constructor(private readonly usage: StorageUsageService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getStorageUsage',
    summary: 'Storage and bandwidth against the plan',
    description: 'Of the organization over all its projects, and of the project; bandwidth of the current UTC month.',
    answer: StorageUsageResponse,
  })
  get(@Scope() scope: ProjectMemberScope, @Query() _query: ProjectQuery): Promise<StorageUsageResponse> {
    return this.usage.get(scope);
  }
}
