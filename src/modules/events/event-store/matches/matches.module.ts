import { Module } from '@nestjs/common';
import { EventBreakdownsModule } from '../breakdowns/breakdowns.module.js';
import { EventScanModule } from '../scan/scan.module.js';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { EventRowsModule } from '../rows/rows.module.js';
import { MatchesReader } from './matches.reader.js';

/** Lists of events that match a condition. */
@Module({
  imports: [EventBreakdownsModule, EventScanModule, EventReplicationModule, EventAggregationModule, EventRowsModule],
  providers: [MatchesReader],
  exports: [MatchesReader],
})
export class EventMatchesModule {}
