import { Module } from '@nestjs/common';
import { IngestionRefusalsService } from './ingestion-refusals.service.js';
import { OrganizationAllowancesReader } from './organization-allowances.reader.js';
import { RequestLimitsService } from './request-limits.service.js';

@Module({
  providers: [OrganizationAllowancesReader, RequestLimitsService, IngestionRefusalsService],
  exports: [OrganizationAllowancesReader, RequestLimitsService, IngestionRefusalsService],
})
export class QuotasModule {}
