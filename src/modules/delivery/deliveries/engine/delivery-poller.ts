import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import { DuePoller } from '../../sending/index.js';
import { ClaimsRepository } from './claims.repository.js';
import { deliveryRetriesJob } from './delivery.jobs.js';

@Injectable()
export class DeliveryPoller extends DuePoller {
  constructor(
    private readonly claims: ClaimsRepository,
    queue: JobQueue,
    @Inject(CONFIG) config: Config,
  ) {
    super(deliveryRetriesJob, queue, config);
  }

  protected async countDue(): Promise<number> {
    return (await this.claims.backlog()).due;
  }
}
