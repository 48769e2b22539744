import { defineJob, type NoPayload } from '../../../platform/queue/index.js';

/** Interval at which partitions are maintained and expired rows are removed. */
const MAINTENANCE_EVERY_MS = 60_000;

export const maintenanceJob = defineJob<NoPayload, { processed: number }>({
  name: 'maintenance',
  every: { ms: MAINTENANCE_EVERY_MS, payload: {} },
});
