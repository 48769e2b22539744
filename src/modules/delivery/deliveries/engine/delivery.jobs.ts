import { defineJob } from '../../../../platform/queue/index.js';

/**
 * One look for due deliveries and expired claims. Every worker process runs it by its own timer, so that it goes on
 * while the queue's backend is away; `wait` is for whoever wants to know how many there were.
 */
export const deliveryRetriesJob = defineJob<{ wait: boolean }, { processed: number }>({
  name: 'delivery-retries',
});

/** Something of these channels is due now. Only wakes a worker up: losing it loses time until the next look. */
export const deliveryWakeJob = defineJob<{ lanes: { project_id: string; channel_id: string }[] }>({
  name: 'delivery-wake',
  queue: 'delivery-retries',
  concurrency: 8,
});

/** An attempt that a drain of the dead letters made is due now; only wakes a worker up, too. */
export const dlqDrainJob = defineJob<{ attempt_id: string; project_id: string; channel_id: string }>({
  name: 'dlq-drains',
  concurrency: 4,
});
