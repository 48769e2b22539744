import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../platform/queue/index.js';
import { HourRollupsService } from './hour-rollups.service.js';

const EVERY_MS = 60_000;

/**
 * Makes due rollups. It is a separate job because the maintenance round must not wait for hours with millions of
 * events.
 */
export const hourRollupsJob = defineJob<NoPayload, { processed: number }>({
  name: 'hour-rollups',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(hourRollupsJob)
export class HourRollupsProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly rollups: HourRollupsService) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.rollups.makeDue() };
  }
}
