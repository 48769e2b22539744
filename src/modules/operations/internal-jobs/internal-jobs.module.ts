import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MaintenanceRunner } from '../../../platform/maintenance/maintenance-task.js';
import { InternalJobsController } from './internal-jobs.controller.js';
import { MaintenanceProcessor } from './maintenance.processor.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [InternalJobsController],
  providers: [MaintenanceProcessor, MaintenanceRunner],
})
export class InternalJobsModule {}
