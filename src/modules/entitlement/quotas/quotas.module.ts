import { Module } from '@nestjs/common';
import { IngestionRefusals } from './ingestion-refusals.js';
import { OrganizationAllowances } from './organization-allowances.js';
import { RequestLimits } from './request-limits.js';

@Module({
  providers: [OrganizationAllowances, RequestLimits, IngestionRefusals],
  exports: [OrganizationAllowances, RequestLimits, IngestionRefusals],
})
export class QuotasModule {}
