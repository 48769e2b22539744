import { Module } from '@nestjs/common';
import { LongReadsModule } from '../../long-reads/index.js';
import { EventMatchesModule } from '../matches/matches.module.js';
import { EventListsModule } from '../lists/lists.module.js';
import { LogsReader } from './logs.reader.js';
import { LogSearchIndexWriter } from './search-index.writer.js';

/** Provides the log search, and builds its index. */
@Module({
  imports: [EventMatchesModule, EventListsModule, LongReadsModule],
  providers: [LogSearchIndexWriter, LogsReader],
  exports: [LogSearchIndexWriter, LogsReader],
})
export class StoredLogsModule {}
