import { Module } from '@nestjs/common';
import { EventCopiesModule } from './copies.module.js';
import { EventPlacesModule } from './places/places.module.js';
import { EventRetentionModule } from './retention/retention.module.js';
import { EventRowsModule } from './rows/rows.module.js';
import { EventTotalsModule } from './totals/totals.module.js';

const PARTS = [EventCopiesModule, EventPlacesModule, EventRetentionModule, EventRowsModule, EventTotalsModule];

/** The events of both engines: whoever asks about them asks here. */
@Module({ imports: PARTS, exports: PARTS })
export class EventStoreModule {}
