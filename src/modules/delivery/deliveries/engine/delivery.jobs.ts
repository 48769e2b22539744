import { defineJob } from '../../../../platform/queue/index.js';

/**
 * Polls once for due deliveries and expired claims. A timer in every worker process runs this job, so that it also runs
 * while the backend of the queue is down. With `wait` the job ends when the deliveries are sent, and counts them.
 */
export const deliveryRetriesJob = defineJob<{ wait: boolean }, { processed: number }>({
  name: 'delivery-retries',
});

/** Wakes a worker, because attempts of these channels are due. If the job is lost, the next poll finds the attempts. */
export const deliveryWakeJob = defineJob<{ lanes: { project_id: string; channel_id: string }[] }>({
  name: 'delivery-wake',
  queue: 'delivery-retries',
  concurrency: 8,
});

/** Wakes a worker for an attempt that a drain has made. If the job is lost, the next poll finds the attempt. */
export const dlqDrainJob = defineJob<{ attempt_id: string; project_id: string; channel_id: string }>({
  name: 'dlq-drains',
  concurrency: 4,
});
