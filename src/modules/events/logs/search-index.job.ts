import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../platform/queue/index.js';
import { LogSearchIndexWriter } from '../event-store/index.js';

const EVERY_MS = 3_600_000;

/**
 * Builds the search index of logs. It is a separate job because the maintenance round must not wait for an index over
 * millions of rows.
 */
export const logSearchIndexJob = defineJob<NoPayload, { processed: number }>({
  name: 'log-search-index',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(logSearchIndexJob)
export class LogSearchIndexProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly index: LogSearchIndexWriter) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.index.build() };
  }
}
