export { AlertDeliveryRequestService } from './alert-delivery-request.service.js';
export { AlertDestinationsModule } from './alert-destinations.module.js';
export type { AlertNotice } from './drivers/alert-notice.js';
export { alertDeliveriesJob, alertDeliveryWakeJob } from './engine/alert-deliveries.jobs.js';
