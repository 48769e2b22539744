import type { JobsOptions } from 'bullmq';
import type { JobDeclaration } from './job-definition.js';

/**
 * Finished jobs leave the backend at once: kept ones fill it, and one that is kept swallows the next job of its id.
 * What a run came to is in the domain tables and the record of runs.
 */
export function jobOptions(job: JobDeclaration): JobsOptions {
  return {
    attempts: job.attempts,
    ...(job.backoff && { backoff: { type: job.backoff.type, delay: job.backoff.delayMs } }),
    removeOnComplete: true,
    removeOnFail: true,
  };
}
