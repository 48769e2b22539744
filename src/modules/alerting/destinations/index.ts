export { AlertDeliveryRequestService } from './delivery-request.service.js';
export { AlertDestinationsModule } from './destinations.module.js';
export type { AlertNotification } from './drivers/alert-notification.js';
export { alertDeliveriesJob, alertDeliveryWakeJob } from './engine/deliveries.jobs.js';
