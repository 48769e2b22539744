import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Query, Scope } from '../../../../platform/http/inputs.js';
import { AlertWindowQuery } from '../events/alert-events.dto.js';
import { AlertMetricsQuery, AlertMetricsResponse, AlertSummaryResponse } from './alert-summary.dto.js';
import { AlertSummaryService } from './alert-summary.service.js';

@ApiTags('alerts')
@Controller('v1/alerts')
export class AlertSummaryController {
  constructor(private readonly summaries: AlertSummaryService) {}

  @Get('summary')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAlertSummary',
    summary: 'Counts by status and severity',
    description: 'Of the alert events that were raised in the window.',
    answer: AlertSummaryResponse,
  })
  summary(@Scope() scope: ProjectMemberScope, @Query() query: AlertWindowQuery): Promise<AlertSummaryResponse> {
    return this.summaries.summary(scope, query);
  }

  @Get('metrics')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAlertMetrics',
    summary: 'Time to acknowledge and to resolve',
    description: 'Median and 95th percentile, interpolated, of the alert events raised in the window.',
    answer: AlertMetricsResponse,
  })
  metrics(@Scope() scope: ProjectMemberScope, @Query() query: AlertMetricsQuery): Promise<AlertMetricsResponse> {
    return this.summaries.metrics(scope, query);
  }
}
