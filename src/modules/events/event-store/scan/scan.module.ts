import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventListsModule } from '../lists/lists.module.js';
import { EventScan } from './event-scan.js';
import { ScanRepository } from './scan.repository.js';
import { ClickHouseScanReader } from './clickhouse-scan.reader.js';
import { MatchingEventsReader } from './matching-events.reader.js';
import { NewestEventsReader } from './newest-events.reader.js';

/** Reads candidates: the events that may match a query or condition. */
@Module({
  imports: [EventReplicationModule, EventListsModule],
  providers: [ScanRepository, EventScan, ClickHouseScanReader, MatchingEventsReader, NewestEventsReader],
  exports: [EventScan, ClickHouseScanReader, MatchingEventsReader, NewestEventsReader],
})
export class EventScanModule {}
