import { Module } from '@nestjs/common';
import { EventBreakdownsModule } from '../breakdowns/breakdowns.module.js';
import { EventScanModule } from '../scan/scan.module.js';
import { EventReplicationModule } from '../replication.module.js';
import { EventQuestionsModule } from '../questions/questions.module.js';
import { EventRowsModule } from '../rows/rows.module.js';
import { MatchesReader } from './matches.reader.js';

/** Lists of events that match a condition. */
@Module({
  imports: [EventBreakdownsModule, EventScanModule, EventReplicationModule, EventQuestionsModule, EventRowsModule],
  providers: [MatchesReader],
  exports: [MatchesReader],
})
export class EventMatchesModule {}
