import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { HourRollupsProcessor } from './hour-rollups.job.js';
import { HourRollupsService } from './hour-rollups.service.js';

@Module({
  imports: [EventStoreModule],
  providers: [HourRollupsProcessor, HourRollupsService],
})
export class HourRollupsModule {}
