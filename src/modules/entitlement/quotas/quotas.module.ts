import { Module } from '@nestjs/common';
import { IngestionRefusals } from './ingestion-refusals.js';
import { OrganizationAllowancesReader } from './organization-allowances.reader.js';
import { RequestLimits } from './request-limits.js';

@Module({
  providers: [OrganizationAllowancesReader, RequestLimits, IngestionRefusals],
  exports: [OrganizationAllowancesReader, RequestLimits, IngestionRefusals],
})
export class QuotasModule {}
