export { EventStreams } from './event-streams.js';
export { EventStreamsModule } from './event-streams.module.js';
export type { FeedItem, FeedPlace, FeedSource } from './feed-source.js';
