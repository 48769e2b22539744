import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertConditionsModule } from '../conditions/index.js';
import { AlertDestinationsModule } from '../destinations/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { EventStreamsModule } from '../../events/streams/index.js';
import { EventFeedModule } from '../../events/feed/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { EventReadsModule } from '../../events/reads/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { AlertEvents } from './engine/alert-events.js';
import { AlertPoller } from './engine/alert-poller.js';
import { AlertRound } from './engine/alert-round.js';
import { AlertUpkeep } from './engine/alert-upkeep.js';
import { AlertLife } from './engine/life.js';
import { Teller } from './engine/teller.js';
import { AlertActsController } from './events/alert-acts.controller.js';
import { AlertActs } from './events/alert-acts.service.js';
import { AlertChanges } from './events/alert-changes.js';
import { AlertEvent } from './events/alert-event.entity.js';
import { AlertEventsController } from './events/alert-events.controller.js';
import { AlertEventsRepository, ProjectOfAlertEvent } from './events/alert-events.repository.js';
import { AlertEventsService } from './events/alert-events.service.js';
import { AlertReads } from './events/alert-reads.repository.js';
import { ManualAlerts } from './events/manual-alerts.service.js';
import { TimelineEntry } from './events/timeline-entry.entity.js';
import { TimelineRepository } from './events/timeline.repository.js';
import { AlertsOfEvent, OpenAlertsOfProject } from './insight/alert-ports.js';
import { InsightController } from './insight/insight.controller.js';
import { InsightRepository } from './insight/insight.repository.js';
import { InsightService } from './insight/insight.service.js';
import { Silence } from './silences/silence.entity.js';
import { Silenced } from './silences/silenced.js';
import { SilencesController } from './silences/silences.controller.js';
import { ProjectOfSilence, SilencesRepository } from './silences/silences.repository.js';
import { SilencesService } from './silences/silences.service.js';
import { AlertFeed } from './stream/alert-feed.js';

const ENGINE = [
  AlertEvents,
  AlertEventsRepository,
  AlertLife,
  AlertPoller,
  AlertRound,
  AlertUpkeep,
  Silenced,
  Teller,
  TimelineRepository,
];
const SILENCES = [ProjectOfSilence, SilencesRepository, SilencesService];
const INSIGHT = [AlertsOfEvent, InsightRepository, InsightService, OpenAlertsOfProject];

@Module({
  imports: [
    AlertConditionsModule,
    AlertDestinationsModule,
    AuditModule,
    EventFeedModule,
    IngestionModule,
    EventReadsModule,
    EventStreamsModule,
    ProjectsModule,
    TypeOrmModule.forFeature([AlertEvent, TimelineEntry, Silence]),
  ],
  controllers: [AlertEventsController, AlertActsController, SilencesController, InsightController],
  providers: [
    ...ENGINE,
    ...SILENCES,
    ...INSIGHT,
    AlertActs,
    AlertChanges,
    AlertEventsService,
    AlertFeed,
    AlertReads,
    belongsToProject(AlertEventsRepository),
    ManualAlerts,
    ProjectOfAlertEvent,
  ],
  exports: [AlertEvents],
})
export class AlertsModule {}
