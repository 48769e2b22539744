export { EventFeed } from './event-feed.js';
export { EventFeedModule } from './feed.module.js';
export { STREAM_RULES } from './event-stream.controller.js';
