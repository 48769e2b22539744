import { Module } from '@nestjs/common';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { IntakeService } from './intake.service.js';

@Module({
  imports: [IngestionModule, QuotasModule],
  providers: [IntakeService],
  exports: [IntakeService],
})
export class IntakeModule {}
