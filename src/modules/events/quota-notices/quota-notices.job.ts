import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../platform/queue/index.js';
import { QuotaNoticesService } from './quota-notices.service.js';

/** A notice must be sent within a minute, which a round of maintenance may exceed. */
const EVERY_MS = 30_000;

export const quotaNoticesJob = defineJob<NoPayload, { processed: number }>({
  name: 'quota-notices',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(quotaNoticesJob)
export class QuotaNoticesProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly notices: QuotaNoticesService) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.notices.run() };
  }
}
