import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventPlacesModule } from '../places/places.module.js';
import { CandidateWalk } from './candidate-walk.js';
import { CandidatesRepository } from './candidates.repository.js';
import { CopiedCandidatesReader } from './copied-candidates.reader.js';
import { FittingEventsReader } from './fitting-events.reader.js';
import { NewestEventsReader } from './newest-events.reader.js';

/** Events that a query or condition may be about. */
@Module({
  imports: [EventReplicationModule, EventPlacesModule],
  providers: [CandidatesRepository, CandidateWalk, CopiedCandidatesReader, FittingEventsReader, NewestEventsReader],
  exports: [CandidateWalk, CopiedCandidatesReader, FittingEventsReader, NewestEventsReader],
})
export class EventCandidatesModule {}
