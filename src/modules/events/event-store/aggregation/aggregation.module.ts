import { Module } from '@nestjs/common';
import { LongReadsModule } from '../../long-reads/index.js';
import { EventScanModule } from '../scan/scan.module.js';
import { EventReplicationModule } from '../replication.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { AggregatedEventsReader } from './aggregated-events.reader.js';
import { Snapshots } from './snapshots.js';

/** Snapshots and the selection of events, shared by all queries about events. */
@Module({
  imports: [EventScanModule, EventReplicationModule, EventTotalsModule, LongReadsModule],
  providers: [AggregatedEventsReader, Snapshots],
  exports: [AggregatedEventsReader, Snapshots],
})
export class EventAggregationModule {}
