import { Logger } from '@nestjs/common';
import type { Job } from 'bullmq';
import type { JobContext, JobProcessor } from './job-definition.js';
import type { FoundHandler } from './job-handlers.js';
import type { JobRunLog } from './job-run-log.js';
import { traced, traceparentFrom } from '../telemetry/index.js';
import { describeError } from './queue-errors.js';

/** Runs jobs with their handlers and records the runs. */
export class JobRunner {
  private readonly logger = new Logger('Queue');
  private readonly processors = new Map<string, JobProcessor<object>>();

  constructor(private readonly log: JobRunLog) {}

  use(handlers: readonly FoundHandler[]): void {
    for (const { job, instance } of handlers) if (instance) this.processors.set(job.name, instance);
  }

  /** Runs one attempt of a queued job. Fails for a job that has no handler in this version of the service. */
  async work(job: Job<object>, signal: AbortSignal): Promise<void> {
    const attempt = job.attemptsMade + 1;
    try {
      const parent = traceparentFrom(job.opts.telemetry?.metadata);
      await traced({ kind: 'consumer', name: `job ${job.name}`, parent }, () =>
        this.run(job.name, job.data, { jobId: job.id ?? '', attempt, signal }),
      );
    } catch (error) {
      this.logger.warn(`job ${job.name} ${job.id} failed on try ${attempt}: ${describeError(error)}`);
      throw error;
    }
  }

  /** `recorded` resolves when the record of this run is written. It never rejects. */
  async run(name: string, payload: object, context: JobContext): Promise<{ result: unknown; recorded: Promise<void> }> {
    const processor = this.processors.get(name);
    if (!processor) throw new Error(`no handler for job "${name}" in this process`);
    const startedAt = performance.now();
    const record = (error: string | null) =>
      this.log.record(name, { startedAt, durationMs: performance.now() - startedAt, error });
    try {
      const result = await processor.run(payload, context);
      return { result, recorded: record(null) };
    } catch (error) {
      void record(describeError(error));
      throw error;
    }
  }
}
