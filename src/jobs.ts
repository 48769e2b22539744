import { alertDeliveriesJob, alertDeliveryWakeJob } from './modules/alert-destinations/index.js';
import { ruleEvaluationsJob } from './modules/alert-rules/index.js';
import { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './modules/delivery/index.js';
import { maintenanceJob } from './modules/internal-jobs/index.js';
import { logSearchIndexJob } from './modules/logs/index.js';

/** Every job of the service; boot fails when one of them has no handler or two. */
export const JOBS = [
  maintenanceJob,
  logSearchIndexJob,
  deliveryRetriesJob,
  deliveryWakeJob,
  dlqDrainJob,
  alertDeliveriesJob,
  alertDeliveryWakeJob,
  ruleEvaluationsJob,
] as const;
