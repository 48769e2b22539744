import { defineJob } from '../../../../platform/queue/index.js';

/**
 * Polls once for due deliveries and expired claims. A timer in every worker process runs this job, so that it also runs
 * while the backend of the queue is down. With `wait` the job ends when the deliveries are sent, and counts them.
 */
export const alertDeliveriesJob = defineJob<{ wait: boolean }, { processed: number }>({
  name: 'alert-deliveries',
});

/** Wakes a worker, because deliveries to a destination are due. If the job is lost, the next poll finds them. */
export const alertDeliveryWakeJob = defineJob<{ project_id: string; destination_id: string }>({
  name: 'alert-delivery-wake',
  queue: 'alert-deliveries',
  concurrency: 8,
});
