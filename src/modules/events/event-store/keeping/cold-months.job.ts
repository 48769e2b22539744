import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../../platform/queue/index.js';
import { ColdMonths } from './cold-months.js';

const EVERY_MS = 1_800_000;

/** A job of its own, because the maintenance round must not wait until all events of a month are compared. */
export const coldMonthsJob = defineJob<NoPayload, { processed: number }>({
  name: 'cold-months',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(coldMonthsJob)
export class ColdMonthsProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly months: ColdMonths) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.months.letGo() };
  }
}
