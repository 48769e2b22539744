import { defineJob } from '../../../../platform/queue/index.js';

/**
 * One look for due deliveries and expired claims. Every worker process runs it by its own timer, so that it goes on
 * while the queue's backend is away; `wait` is for whoever wants to know how many there were.
 */
export const alertDeliveriesJob = defineJob<{ wait: boolean }, { processed: number }>({
  name: 'alert-deliveries',
});

/** Something for a destination is due now. Only wakes a worker up: losing it loses time until the next look. */
export const alertDeliveryWakeJob = defineJob<{ project_id: string; destination_id: string }>({
  name: 'alert-delivery-wake',
  queue: 'alert-deliveries',
  concurrency: 8,
});
