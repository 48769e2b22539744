import type { JobsOptions } from 'bullmq';
import type { JobDeclaration } from './job-definition.js';

/**
 * Returns BullMQ's options for a job. Finished jobs are removed from the backend at once, because they would fill it,
 * and because a stored job prevents a new job with the same id. The outcome is in the domain tables and in the record
 * of runs.
 */
export function jobOptions(job: JobDeclaration): JobsOptions {
  return {
    attempts: job.attempts,
    ...(job.backoff && { backoff: { type: job.backoff.type, delay: job.backoff.delayMs } }),
    removeOnComplete: true,
    removeOnFail: true,
  };
}
