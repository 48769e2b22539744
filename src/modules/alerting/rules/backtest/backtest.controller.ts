import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { ProjectOfAlertRule } from '../rules.repository.js';
import { AlertRuleNotFound } from '../rules.repository.js';
import { BacktestRequest, BacktestResponse } from './backtest.dto.js';
import { ArchiveUnavailable } from '../../../events/event-store/index.js';
import { AlertRuleFails, BacktestService, TooManyBacktests } from './backtest.service.js';

@ApiTags('alert-rules')
@Controller('v1/alert-rules/:rule_id/backtest')
export class BacktestController {
  constructor(private readonly backtests: BacktestService) {}

  @Post()
  @Requires({ project: 'operator', via: ProjectOfAlertRule })
  @Documented({
    operationId: 'backtestAlertRule',
    summary: 'Evaluate over past events without alerting',
    description:
      'Nothing is stored and nobody is told. Rules of events go by the timestamps of up to 5,000 events; windows are looked at up to 300 times, so that a long back-test may miss short peaks. It answers what it has seen after 10 seconds. Of old months that are kept apart it looks at the first 100,000 events that may fit.',
    answer: BacktestResponse,
    errors: [AlertRuleNotFound, AlertRuleFails, ArchiveUnavailable, TooManyBacktests],
  })
  run(
    @Scope() scope: ProjectMemberScope,
    @IdParam('rule_id') id: string,
    @Body() body: BacktestRequest,
  ): Promise<BacktestResponse> {
    return this.backtests.run(scope, id, body);
  }
}
