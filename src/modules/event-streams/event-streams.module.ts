import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.js';
import { ProjectsModule } from '../projects/index.js';
import { SessionsModule } from '../sessions/index.js';
import { EventStreams } from './event-streams.js';
import { OpenStreams } from './open-streams.js';

@Module({
  imports: [OrganizationsModule, ProjectsModule, SessionsModule],
  providers: [EventStreams, OpenStreams],
  exports: [EventStreams],
})
export class EventStreamsModule {}
