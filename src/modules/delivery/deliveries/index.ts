export { ChannelHasEvidence, DuplicateProtectedHeader } from './delivery.errors.js';
export { DeliveryModule } from './delivery.module.js';
export { DeliveryRequestService, type RuleMatch, type RuleMatches } from './delivery-request.service.js';
export { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './engine/delivery.jobs.js';
