export { TooManyStreams } from './open-stream-registry.js';
export { EventStreamsService } from './streams.service.js';
export { EventStreamsModule } from './streams.module.js';
export type { FeedCursor, FeedRead, FeedSource } from './feed-source.js';
export { StreamHeartbeat } from './stream-messages.dto.js';
