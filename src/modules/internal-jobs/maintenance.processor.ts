import { JobHandler, type JobProcessor, type NoPayload } from '../../platform/queue/index.js';
import { AuthUpkeep } from '../auth/index.js';
import { EventPartitions } from '../events/index.js';
import { maintenanceJob } from './maintenance.job.js';

/** Makes partitions ahead of time and removes what has expired. Running it twice does no harm. */
@JobHandler(maintenanceJob)
export class MaintenanceProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(
    private readonly partitions: EventPartitions,
    private readonly auth: AuthUpkeep,
  ) {}

  async run(): Promise<{ processed: number }> {
    const made = await this.partitions.ensure();
    return { processed: made.length + (await this.auth.expire()) };
  }
}
