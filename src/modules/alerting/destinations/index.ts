export { AlertDestinationsModule } from './alert-destinations.module.js';
export { LinkedDestinations } from './destinations/linked-destinations.js';
export { alertDeliveriesJob, alertDeliveryWakeJob } from './engine/alert-deliveries.jobs.js';
export type { AlertNotice } from './notices/alert-notice.js';
export {
  AlertNotices,
  type EnqueuedNotice,
  type NoticeTargets,
  type NoticeToEnqueue,
} from './notices/alert-notices.js';
