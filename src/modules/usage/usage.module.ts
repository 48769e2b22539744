import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventTotalsModule } from '../event-totals/index.js';
import { OrganizationsModule } from '../organizations/index.js';
import { ProjectsModule } from '../projects/index.js';
import { MeteringMiddleware } from './metering.middleware.js';
import { RequestMeter } from './request-meter.js';
import { UsageOfDeletedProjects } from './usage-of-deleted-projects.js';
import { ProjectUsageController, UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [ApiKeysModule, EventTotalsModule, OrganizationsModule, ProjectsModule],
  controllers: [ProjectUsageController, UsageController],
  providers: [UsageService, UsageRepository, UsageOfDeletedProjects, RequestMeter],
})
export class UsageModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(MeteringMiddleware).forRoutes('{*path}');
  }
}
