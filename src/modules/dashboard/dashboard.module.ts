import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventTotalsModule } from '../event-totals/index.js';
import { ProjectsModule } from '../projects/index.js';
import { QuotasModule } from '../quotas/index.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardRepository } from './dashboard.repository.js';
import { DashboardService } from './dashboard.service.js';

@Module({
  imports: [DiscoveryModule, EventTotalsModule, ProjectsModule, QuotasModule],
  controllers: [DashboardController],
  providers: [DashboardService, DashboardRepository],
})
export class DashboardModule {}
