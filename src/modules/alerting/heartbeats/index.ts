export { HeartbeatsModule } from './heartbeats.module.js';
export { BEAT_EVERY_MS, HeartbeatsWriter, type Watched } from './heartbeats.writer.js';
