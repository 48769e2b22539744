import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MaintenanceRunner } from '../../../platform/maintenance/maintenance-task.js';
import { ReencryptionTask, SealedValuesRepository } from '../../../platform/sealed-columns/index.js';
import { InternalJobsController } from './internal-jobs.controller.js';
import { MaintenanceProcessor } from './maintenance.processor.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [InternalJobsController],
  providers: [MaintenanceProcessor, MaintenanceRunner, ReencryptionTask, SealedValuesRepository],
})
export class InternalJobsModule {}
