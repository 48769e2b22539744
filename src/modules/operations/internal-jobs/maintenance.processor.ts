import { JobHandler, type JobProcessor, type NoPayload } from '../../../platform/queue/index.js';
import { MaintenanceRunner } from '../../../platform/maintenance/maintenance-task.js';
import { maintenanceJob } from './maintenance.job.js';

/** Runs the maintenance of every module: creates partitions ahead of time and removes expired rows. */
@JobHandler(maintenanceJob)
export class MaintenanceProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly round: MaintenanceRunner) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.round.run() };
  }
}
