import { Module } from '@nestjs/common';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { QuotaNoticesProcessor } from './quota-notices.job.js';
import { QuotaNoticesRepository } from './quota-notices.repository.js';
import { QuotaNoticesService } from './quota-notices.service.js';

@Module({
  imports: [EventStoreModule, QuotasModule],
  providers: [QuotaNoticesProcessor, QuotaNoticesRepository, QuotaNoticesService],
})
export class QuotaNoticesModule {}
