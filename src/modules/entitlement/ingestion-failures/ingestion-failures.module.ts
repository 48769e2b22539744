import { Module } from '@nestjs/common';
import { IngestionFailureExpiry } from './ingestion-failure-expiry.js';
import { IngestionFailures } from './ingestion-failures.js';
import { IngestionFailuresReader } from './ingestion-failures.reader.js';

@Module({
  providers: [IngestionFailures, IngestionFailuresReader, IngestionFailureExpiry],
  exports: [IngestionFailures, IngestionFailuresReader],
})
export class IngestionFailuresModule {}
