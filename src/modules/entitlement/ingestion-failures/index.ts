export { type IngestionFailure, IngestionFailures, type RefusedKey } from './ingestion-failures.js';
export { IngestionFailuresModule } from './ingestion-failures.module.js';
export { type FailurePage, IngestionFailuresReader, type RecordedFailure } from './ingestion-failures.reader.js';
