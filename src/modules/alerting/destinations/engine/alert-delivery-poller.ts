import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import { DuePoller } from '../../../delivery/sending/index.js';
import { alertDeliveriesJob } from './alert-deliveries.jobs.js';
import { ClaimsRepository } from './claims.repository.js';

@Injectable()
export class AlertDeliveryPoller extends DuePoller {
  constructor(
    private readonly claims: ClaimsRepository,
    queue: JobQueue,
    @Inject(CONFIG) config: Config,
  ) {
    super(alertDeliveriesJob, queue, config);
  }

  protected async countDue(): Promise<number> {
    return (await this.claims.backlog()).due;
  }
}
