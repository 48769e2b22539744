export { EventRecorder } from './event-recorder.js';
export { IngestionModule } from './ingestion.module.js';
export { QueueDrainNotifier } from './queueing/queue-drain-notifier.js';
export { INGEST_CONNECTION_NAME } from './writing/event-writer.provider.js';
export { EventWriter } from './writing/event-writer.js';
