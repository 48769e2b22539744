import { Module } from '@nestjs/common';
import { EventBreakdownsModule } from './breakdowns/breakdowns.module.js';
import { EventScanModule } from './scan/scan.module.js';
import { EventReplicationModule } from './replication.module.js';
import { EventFunnelsModule } from './funnels/funnels.module.js';
import { EventHistoryModule } from './history/history.module.js';
import { StoredLogsModule } from './logs/stored-logs.module.js';
import { EventMatchesModule } from './matches/matches.module.js';
import { EventMeasuresModule } from './measures/measures.module.js';
import { EventOverviewsModule } from './overviews/overviews.module.js';
import { EventListsModule } from './lists/lists.module.js';
import { EventAggregationModule } from './aggregation/aggregation.module.js';
import { EventRetentionModule } from './retention/retention.module.js';
import { EventRollupsModule } from './rollups/rollups.module.js';
import { EventRowsModule } from './rows/rows.module.js';
import { EventSearchesModule } from './search/searches.module.js';
import { EventSeriesModule } from './series/series.module.js';
import { AcceptedEventsModule } from './outbox/outbox.module.js';
import { EventTotalsModule } from './totals/totals.module.js';
import { EventWritingModule } from './writing/writing.module.js';

const PARTS = [
  AcceptedEventsModule,
  EventBreakdownsModule,
  EventScanModule,
  EventReplicationModule,
  EventFunnelsModule,
  EventHistoryModule,
  EventMatchesModule,
  EventMeasuresModule,
  EventOverviewsModule,
  EventListsModule,
  EventAggregationModule,
  EventRetentionModule,
  EventRollupsModule,
  EventRowsModule,
  EventSearchesModule,
  EventSeriesModule,
  EventTotalsModule,
  EventWritingModule,
  StoredLogsModule,
];

/** All reads and writes of events, for both PostgreSQL and ClickHouse. */
@Module({ imports: PARTS, exports: PARTS })
export class EventStoreModule {}
