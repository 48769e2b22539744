import { Module } from '@nestjs/common';
import { IngestionFailureExpiry } from './ingestion-failure-expiry.js';
import { IngestionFailures } from './ingestion-failures.js';

@Module({ providers: [IngestionFailures, IngestionFailureExpiry], exports: [IngestionFailures] })
export class IngestionFailuresModule {}
