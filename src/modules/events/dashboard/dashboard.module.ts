import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { DiscoveryModule } from '@nestjs/core';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardRepository } from './dashboard.repository.js';
import { DashboardService } from './dashboard.service.js';

@Module({
  imports: [DiscoveryModule, ProjectsModule, QuotasModule, EventStoreModule],
  controllers: [DashboardController],
  providers: [DashboardService, DashboardRepository],
})
export class DashboardModule {}
