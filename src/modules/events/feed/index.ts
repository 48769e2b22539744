export { EventFeed } from './event-feed.js';
export { EventFeedModule } from './event-feed.module.js';
export { STREAM_RULES } from './event-stream.controller.js';
export { SettledEvents } from './settled-events.js';
