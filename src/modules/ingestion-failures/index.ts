export { type IngestionFailure, IngestionFailures, type RefusedKey } from './ingestion-failures.js';
export { IngestionFailuresModule } from './ingestion-failures.module.js';
