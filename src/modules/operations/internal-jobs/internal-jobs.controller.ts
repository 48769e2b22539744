import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Internal } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { JobQueue, QueueUnavailableError } from '../../../platform/queue/index.js';
import { alertDeliveriesJob } from '../../alerting/destinations/index.js';
import { ruleEvaluationsJob } from '../../alerting/rules/index.js';
import { deliveryRetriesJob } from '../../delivery/deliveries/index.js';
import { hourRollupsJob } from '../../events/hour-rollups/index.js';
import { JobRoundResponse, JobStateResponse, jobStateResponse } from './internal-jobs.dto.js';
import { maintenanceJob } from './maintenance.job.js';

@ApiTags('internal')
@Controller('internal/jobs')
export class InternalJobsController {
  constructor(private readonly queue: JobQueue) {}

  @Get()
  @Internal()
  @Documented({
    operationId: 'listJobStates',
    summary: 'State of the background jobs',
    description: 'Answers 404 while INTERNAL_JOB_TOKEN is unset.',
    answer: [JobStateResponse],
  })
  async state(): Promise<JobStateResponse[]> {
    try {
      return (await this.queue.state()).map(jobStateResponse);
    } catch (error) {
      throw error instanceof QueueUnavailableError ? new ServiceOverloaded() : error;
    }
  }

  @Post('maintenance')
  @Internal()
  @Documented({
    operationId: 'runMaintenance',
    summary: 'Partitions, expiries, rollup reconciliation',
    description: 'Runs one round and waits for it.',
    answer: JobRoundResponse,
  })
  async maintenance(): Promise<JobRoundResponse> {
    const { processed } = await this.queue.runNow(maintenanceJob, {});
    const rollups = await this.queue.runNow(hourRollupsJob, {});
    return { processed: processed + rollups.processed };
  }

  @Post('delivery-retries')
  @Internal()
  @Documented({
    operationId: 'runDeliveryRetries',
    summary: 'Run due delivery retries',
    description: 'Ends claims that have expired, sends what is due in this process and waits for it.',
    answer: JobRoundResponse,
  })
  deliveryRetries(): Promise<JobRoundResponse> {
    return this.queue.runNow(deliveryRetriesJob, { wait: true });
  }

  @Post('alert-deliveries')
  @Internal()
  @Documented({
    operationId: 'runAlertDeliveries',
    summary: 'Run due alert deliveries',
    description: 'Ends claims that have expired, sends what is due in this process and waits for it.',
    answer: JobRoundResponse,
  })
  alertDeliveries(): Promise<JobRoundResponse> {
    return this.queue.runNow(alertDeliveriesJob, { wait: true });
  }

  @Post('rule-evaluations')
  @Internal()
  @Documented({
    operationId: 'runRuleEvaluations',
    summary: 'Evaluate due alert rules and detectors',
    description: 'Matches the events that wait, evaluates what is due in this process and waits for it.',
    answer: JobRoundResponse,
  })
  ruleEvaluations(): Promise<JobRoundResponse> {
    return this.queue.runNow(ruleEvaluationsJob, {});
  }
}
