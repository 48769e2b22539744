import { alertDeliveriesJob, alertDeliveryWakeJob } from './modules/alerting/destinations/index.js';
import { ruleEvaluationsJob } from './modules/alerting/rules/index.js';
import { sentinelJob } from './modules/alerting/sentinel/index.js';
import { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './modules/delivery/deliveries/index.js';
import { objectStorageScrubJob } from './modules/entitlement/storage/index.js';
import { maintenanceJob } from './modules/operations/internal-jobs/index.js';
import { archiveMonthsJob } from './modules/events/event-store/index.js';
import { hourRollupsJob } from './modules/events/hour-rollups/index.js';
import { quotaNoticesJob } from './modules/events/quota-notices/index.js';
import { logSearchIndexJob } from './modules/events/logs/index.js';

/** Every job of the service. The start fails when a job has no handler or two. */
export const JOBS = [
  maintenanceJob,
  hourRollupsJob,
  logSearchIndexJob,
  quotaNoticesJob,
  archiveMonthsJob,
  objectStorageScrubJob,
  deliveryRetriesJob,
  deliveryWakeJob,
  dlqDrainJob,
  alertDeliveriesJob,
  alertDeliveryWakeJob,
  sentinelJob,
  ruleEvaluationsJob,
] as const;
