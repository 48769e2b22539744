export { LinkedChannels } from './channels/linked-channels.js';
export { ChannelHasEvidence, ChannelNotFound, DuplicateProtectedHeader } from './delivery.errors.js';
export { DeliveryModule } from './delivery.module.js';
export { DeliveryRequests, type RuleMatch, type RuleMatches } from './delivery-requests.js';
export { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './engine/delivery.jobs.js';
