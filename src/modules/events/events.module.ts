import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { ProjectsModule } from '../projects/index.js';
import { EventsOfDeletedProjects } from './events-of-deleted-projects.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';
import { TestEvents } from './test-events.js';

@Module({
  imports: [ApiKeysModule, ProjectsModule],
  controllers: [IngestController],
  providers: [IngestService, EventsRepository, EventPartitions, EventsOfDeletedProjects, TestEvents],
  exports: [TestEvents],
})
export class EventsModule {}
