import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventTotalsModule } from '../totals/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardRepository } from './dashboard.repository.js';
import { DashboardService } from './dashboard.service.js';

@Module({
  imports: [DiscoveryModule, EventTotalsModule, ProjectsModule, QuotasModule],
  controllers: [DashboardController],
  providers: [DashboardService, DashboardRepository],
})
export class DashboardModule {}
