import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../../../config/index.js';
import { EventStoreModule } from '../../events/event-store/index.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { OperationsServer } from './operations-server.js';
import { OrganizationCountsRepository } from './organization-counts.repository.js';
import { ProbesController } from './probes.controller.js';
import { ProcessGauges } from './process-gauges.js';
import { ProcessReports } from './process-reports.js';

@Module({
  imports: [EventStoreModule],
  providers: [HealthService, OrganizationCountsRepository, ProcessGauges, ProcessReports, OperationsServer],
})
export class HealthModule {
  static for({ operations }: Pick<Config, 'operations'>): DynamicModule {
    const probes = operations.port === 0 ? [ProbesController] : [];
    return { module: HealthModule, controllers: [HealthController, ...probes] };
  }
}
