import { Module } from '@nestjs/common';
import { IngestionFailureExpiry } from './ingestion-failure-expiry.js';
import { IngestionFailures } from './ingestion-failures.js';
import { IngestionFailuresRepository } from './ingestion-failures.repository.js';
import { IngestionFailuresReader } from './ingestion-failures.reader.js';

@Module({
  providers: [IngestionFailures, IngestionFailuresReader, IngestionFailuresRepository, IngestionFailureExpiry],
  exports: [IngestionFailures, IngestionFailuresReader],
})
export class IngestionFailuresModule {}
