import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { ProjectHealthController } from './project-health.controller.js';
import { ProjectHealthRepository } from './project-health.repository.js';
import { ProjectHealthService } from './project-health.service.js';

/** Above the projects module, since it looks at keys and events. */
@Module({
  imports: [ApiKeysModule, ProjectsModule],
  controllers: [ProjectHealthController],
  providers: [ProjectHealthService, ProjectHealthRepository],
})
export class ProjectHealthModule {}
