import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertDestinationsModule } from '../alert-destinations/index.js';
import { AlertEvents } from './engine/alert-events.js';
import { AlertLife } from './engine/life.js';
import { Teller } from './engine/teller.js';
import { AlertEvent } from './events/alert-event.entity.js';
import { AlertEventsRepository } from './events/alert-events.repository.js';
import { TimelineEntry } from './events/timeline-entry.entity.js';
import { TimelineRepository } from './events/timeline.repository.js';
import { Silence } from './silences/silence.entity.js';
import { Silenced } from './silences/silenced.js';
import { SilencesRepository } from './silences/silences.repository.js';

const ENGINE = [
  AlertEvents,
  AlertEventsRepository,
  AlertLife,
  Silenced,
  SilencesRepository,
  Teller,
  TimelineRepository,
];

@Module({
  imports: [AlertDestinationsModule, TypeOrmModule.forFeature([AlertEvent, TimelineEntry, Silence])],
  providers: [...ENGINE],
  exports: [AlertEvents],
})
export class AlertsModule {}
