import type { JobsOptions } from 'bullmq';
import type { JobDeclaration } from './job-definition.js';

/**
 * Removes finished jobs from the backend at once: stored ones fill it, and a stored job prevents the next job with its
 * id. The domain tables and the record of runs contain the outcome.
 */
export function jobOptions(job: JobDeclaration): JobsOptions {
  return {
    attempts: job.attempts,
    ...(job.backoff && { backoff: { type: job.backoff.type, delay: job.backoff.delayMs } }),
    removeOnComplete: true,
    removeOnFail: true,
  };
}
