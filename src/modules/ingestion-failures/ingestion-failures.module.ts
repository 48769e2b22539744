import { Module } from '@nestjs/common';
import { IngestionFailures } from './ingestion-failures.js';
import { IngestionFailuresReader } from './ingestion-failures.reader.js';

@Module({
  providers: [IngestionFailures, IngestionFailuresReader],
  exports: [IngestionFailures, IngestionFailuresReader],
})
export class IngestionFailuresModule {}
