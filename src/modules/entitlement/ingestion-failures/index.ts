export { IngestionFailuresRecorder } from './ingestion-failures.recorder.js';
export { IngestionFailuresModule } from './ingestion-failures.module.js';
export { FAILURE_REASONS, type FailureReason } from './failure-reasons.js';
export { IngestionFailuresReader, type RecordedFailure } from './ingestion-failures.reader.js';
