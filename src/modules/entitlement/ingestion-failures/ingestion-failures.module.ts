import { Module } from '@nestjs/common';
import { IngestionFailureExpiry } from './ingestion-failure-expiry.js';
import { IngestionFailuresRecorder } from './ingestion-failures.recorder.js';
import { IngestionFailuresRepository } from './ingestion-failures.repository.js';
import { IngestionFailuresReader } from './ingestion-failures.reader.js';

@Module({
  providers: [IngestionFailuresRecorder, IngestionFailuresReader, IngestionFailuresRepository, IngestionFailureExpiry],
  exports: [IngestionFailuresRecorder, IngestionFailuresReader],
})
export class IngestionFailuresModule {}
