import { Module } from '@nestjs/common';
import { OrganizationAllowances } from './organization-allowances.js';
import { RequestLimits } from './request-limits.js';

@Module({
  providers: [OrganizationAllowances, RequestLimits],
  exports: [OrganizationAllowances, RequestLimits],
})
export class QuotasModule {}
