import { Module } from '@nestjs/common';
import { TimeRangesModule } from '../time-ranges/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { EventStreamsModule } from '../streams/index.js';
import { EventFeedModule } from '../feed/index.js';
import { EventReadsModule } from '../reads/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { LogFeed } from './log-feed.js';
import { LogsController } from './logs.controller.js';
import { LogsService } from './logs.service.js';
import { LogSearchIndexProcessor } from './search-index.job.js';

@Module({
  imports: [EventFeedModule, EventReadsModule, EventStreamsModule, ProjectsModule, EventStoreModule, TimeRangesModule],
  controllers: [LogsController],
  providers: [LogFeed, LogsService, LogSearchIndexProcessor],
})
export class LogsModule {}
