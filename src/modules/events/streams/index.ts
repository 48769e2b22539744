export { EventStreams } from './event-streams.js';
export { EventStreamsModule } from './event-streams.module.js';
export type { FeedPlace, FeedRead, FeedSource } from './feed-source.js';
