import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ReencryptionUpkeep, SealedValuesRepository } from '../../../platform/sealed-columns/index.js';
import { UpkeepRound } from '../../../platform/upkeep/upkeep.js';
import { InternalJobsController } from './internal-jobs.controller.js';
import { MaintenanceProcessor } from './maintenance.processor.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [InternalJobsController],
  providers: [MaintenanceProcessor, ReencryptionUpkeep, SealedValuesRepository, UpkeepRound],
})
export class InternalJobsModule {}
