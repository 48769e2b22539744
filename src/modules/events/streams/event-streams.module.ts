import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../tenancy/organizations/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { SessionsModule } from '../../identity/sessions/index.js';
import { EventStreams } from './event-streams.js';
import { OpenStreams } from './open-streams.js';

@Module({
  imports: [OrganizationsModule, ProjectsModule, SessionsModule],
  providers: [EventStreams, OpenStreams],
  exports: [EventStreams],
})
export class EventStreamsModule {}
