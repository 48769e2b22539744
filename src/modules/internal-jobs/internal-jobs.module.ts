import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { EventsModule } from '../events/index.js';
import { InternalJobsController } from './internal-jobs.controller.js';
import { MaintenanceProcessor } from './maintenance.processor.js';

@Module({
  imports: [AuthModule, EventsModule],
  controllers: [InternalJobsController],
  providers: [MaintenanceProcessor],
})
export class InternalJobsModule {}
