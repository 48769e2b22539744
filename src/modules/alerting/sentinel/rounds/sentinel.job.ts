import {
  type JobContext,
  defineJob,
  JobHandler,
  type JobProcessor,
  type NoPayload,
} from '../../../../platform/queue/index.js';
import { DetectionScheduler } from './detection-scheduler.js';

const EVERY_MS = 60_000;

/** Evaluates the buckets that are due, once a minute in one of the worker processes. */
export const sentinelJob = defineJob<NoPayload, { processed: number }>({
  name: 'sentinel',
  every: { ms: EVERY_MS, payload: {} },
});

@JobHandler(sentinelJob)
export class SentinelProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly rounds: DetectionScheduler) {}

  async run(_: NoPayload, { signal }: JobContext): Promise<{ processed: number }> {
    return { processed: await this.rounds.run(signal) };
  }
}
