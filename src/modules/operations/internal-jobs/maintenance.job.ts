import { defineJob, type NoPayload } from '../../../platform/queue/index.js';

/** How often partitions are looked after and expired rows removed. */
const MAINTENANCE_EVERY_MS = 60_000;

export const maintenanceJob = defineJob<NoPayload, { processed: number }>({
  name: 'maintenance',
  every: { ms: MAINTENANCE_EVERY_MS, payload: {} },
});
