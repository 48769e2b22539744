import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { Query, Scope } from '../../../../platform/http/inputs.js';
import { ProjectQuery } from '../../../entitlement/api-keys/index.js';
import { SentinelOverviewResponse, WorkerResponse } from './overview.dto.js';
import { SentinelOverviewService } from './overview.service.js';

@ApiTags('sentinel')
@Controller('v1/sentinel')
export class SentinelController {
  constructor(private readonly sentinel: SentinelOverviewService) {}

  @Get('overview')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getSentinelOverview',
    summary: 'Health score and open findings',
    description: 'The state is `learning` until there are events of a whole day; a stray event of long ago is none.',
    answer: SentinelOverviewResponse,
  })
  overview(@Scope() scope: ProjectMemberScope, @Query() _query: ProjectQuery): Promise<SentinelOverviewResponse> {
    return this.sentinel.overview(scope);
  }

  @Get('workers')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listSentinelWorkers',
    summary: 'Worker health',
    description: 'By the last runs of the jobs, whichever process runs them.',
    answer: [WorkerResponse],
    errors: [ServiceOverloaded],
  })
  workers(@Scope() _scope: ProjectMemberScope, @Query() _query: ProjectQuery): Promise<WorkerResponse[]> {
    return this.sentinel.workers();
  }
}
