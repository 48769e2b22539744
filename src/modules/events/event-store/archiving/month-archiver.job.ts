import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../../platform/queue/index.js';
import { MonthArchiver } from './month-archiver.js';

const EVERY_MS = 1_800_000;

/** A job of its own, because the maintenance round must not wait until all events of a month are compared. */
export const archiveMonthsJob = defineJob<NoPayload, { processed: number }>({
  name: 'cold-months',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(archiveMonthsJob)
export class MonthArchiverProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly months: MonthArchiver) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.months.archiveMonths() };
  }
}
