import { Module } from '@nestjs/common';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { IntakeService } from './intake.service.js';
import { JsonItemsReader } from './json-items.js';

@Module({
  imports: [IngestionModule, QuotasModule],
  providers: [IntakeService, JsonItemsReader],
  exports: [IntakeService, JsonItemsReader],
})
export class IntakeModule {}
