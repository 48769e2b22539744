import { Module } from '@nestjs/common';
import { IngestionFailures } from './ingestion-failures.js';

@Module({ providers: [IngestionFailures], exports: [IngestionFailures] })
export class IngestionFailuresModule {}
