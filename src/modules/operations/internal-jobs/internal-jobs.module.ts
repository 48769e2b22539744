import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { UpkeepRound } from '../../../platform/upkeep/upkeep.js';
import { InternalJobsController } from './internal-jobs.controller.js';
import { MaintenanceProcessor } from './maintenance.processor.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [InternalJobsController],
  providers: [MaintenanceProcessor, UpkeepRound],
})
export class InternalJobsModule {}
