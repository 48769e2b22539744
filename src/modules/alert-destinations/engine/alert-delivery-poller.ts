import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { DuePoller } from '../../../platform/tries/index.js';
import { alertDeliveriesJob } from './alert-deliveries.jobs.js';

@Injectable()
export class AlertDeliveryPoller extends DuePoller {
  constructor(queue: JobQueue, @Inject(CONFIG) config: Config) {
    super(alertDeliveriesJob, queue, config);
  }
}
