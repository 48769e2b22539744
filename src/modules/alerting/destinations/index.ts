export { AlertDeliveryRequestService } from './delivery-request.service.js';
export { AlertDestinationsModule } from './destinations.module.js';
export type { AlertNotice } from './drivers/notice.js';
export { alertDeliveriesJob, alertDeliveryWakeJob } from './engine/deliveries.jobs.js';
