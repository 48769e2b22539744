import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../tenancy/organizations/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { SessionsModule } from '../../identity/sessions/index.js';
import { EventStreamsService } from './streams.service.js';
import { OpenStreamRegistry } from './open-stream-registry.js';

@Module({
  imports: [OrganizationsModule, ProjectsModule, SessionsModule],
  providers: [EventStreamsService, OpenStreamRegistry],
  exports: [EventStreamsService],
})
export class EventStreamsModule {}
