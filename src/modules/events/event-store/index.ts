export { EventStoreModule } from './event-store.module.js';
export { CopyLagReader } from './shipping/copy-lag.reader.js';
