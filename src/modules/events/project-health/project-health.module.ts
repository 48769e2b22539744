import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { ProjectHealthController } from './project-health.controller.js';
import { ProjectHealthService } from './project-health.service.js';

/** Project health depends on keys and events, so this module depends on the projects module and not the reverse. */
@Module({
  imports: [ApiKeysModule, ProjectsModule, EventStoreModule],
  controllers: [ProjectHealthController],
  providers: [ProjectHealthService],
})
export class ProjectHealthModule {}
