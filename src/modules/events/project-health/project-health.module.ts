import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { ProjectHealthController } from './project-health.controller.js';
import { ProjectHealthService } from './project-health.service.js';

/** Above the projects module, since it looks at keys and events. */
@Module({
  imports: [ApiKeysModule, ProjectsModule, EventStoreModule],
  controllers: [ProjectHealthController],
  providers: [ProjectHealthService],
})
export class ProjectHealthModule {}
