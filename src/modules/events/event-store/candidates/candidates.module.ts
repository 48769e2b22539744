import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventListsModule } from '../lists/lists.module.js';
import { CandidateWalk } from './candidate-walk.js';
import { CandidatesRepository } from './candidates.repository.js';
import { ClickHouseScanReader } from './clickhouse-scan.reader.js';
import { FittingEventsReader } from './fitting-events.reader.js';
import { NewestEventsReader } from './newest-events.reader.js';

/** Events that a query or condition may be about. */
@Module({
  imports: [EventReplicationModule, EventListsModule],
  providers: [CandidatesRepository, CandidateWalk, ClickHouseScanReader, FittingEventsReader, NewestEventsReader],
  exports: [CandidateWalk, ClickHouseScanReader, FittingEventsReader, NewestEventsReader],
})
export class EventCandidatesModule {}
