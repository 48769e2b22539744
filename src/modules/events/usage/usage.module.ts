import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { OrganizationsModule } from '../../tenancy/organizations/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { RequestMeter } from './request-meter.js';
import { ProjectUsageController, UsageController } from './usage.controller.js';
import { UsageMetering } from './usage-metering.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [ApiKeysModule, IngestSourcesModule, OrganizationsModule, ProjectsModule, EventStoreModule],
  controllers: [ProjectUsageController, UsageController],
  providers: [UsageService, UsageRepository, belongsToProject(UsageService), RequestMeter, UsageMetering],
  exports: [UsageMetering],
})
export class UsageModule {}
