export { EventSender } from './event-sender.js';
export type { Loss, LossReason, SenderOptions, SentEvent } from './sender-options.js';
