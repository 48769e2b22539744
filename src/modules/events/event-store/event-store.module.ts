import { Module } from '@nestjs/common';
import { EventCandidatesModule } from './candidates/candidates.module.js';
import { EventCopiesModule } from './copies.module.js';
import { StoredLogsModule } from './logs/stored-logs.module.js';
import { EventPlacesModule } from './places/places.module.js';
import { EventRetentionModule } from './retention/retention.module.js';
import { EventRollupsModule } from './rollups/rollups.module.js';
import { EventRowsModule } from './rows/rows.module.js';
import { EventSearchesModule } from './search/searches.module.js';
import { EventTotalsModule } from './totals/totals.module.js';

const PARTS = [
  EventCandidatesModule,
  EventCopiesModule,
  EventPlacesModule,
  EventRetentionModule,
  EventRollupsModule,
  EventRowsModule,
  EventSearchesModule,
  EventTotalsModule,
  StoredLogsModule,
];

/** The events of both engines: whoever asks about them asks here. */
@Module({ imports: PARTS, exports: PARTS })
export class EventStoreModule {}
