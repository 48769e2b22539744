import { Module } from '@nestjs/common';
import { EventStoreModule } from '../../events/event-store/index.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventConditionsModule } from '../../events/conditions/index.js';
import { FanOutModule } from '../fan-out/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { EventStreamsModule } from '../../events/streams/index.js';
import { EventFeedModule } from '../../events/feed/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { EventReadsModule } from '../../events/reads/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { AlertRaiser } from './engine/alert-raiser.js';
import { AlertPoller } from './engine/alert-poller.js';
import { DueAlertsMaintenance, DueAlertsRunner } from './engine/due-alerts-runner.js';
import { AlertLifecycleService } from './engine/alert-lifecycle.service.js';
import { AlertNotifier } from './engine/alert-notifier.js';
import { AlertActionsController } from './actions/alert-actions.controller.js';
import { AlertActionsService } from './actions/alert-actions.service.js';
import { AlertChangesService } from './actions/alert-changes.service.js';
import { AlertEvent } from './events/alert-event.entity.js';
import { AlertEventsController } from './events/alert-events.controller.js';
import { AlertEventsRepository, ProjectOfAlertEvent } from './events/alert-events.repository.js';
import { AlertEventsService } from './events/alert-events.service.js';
import { AlertReadsRepository } from './events/alert-reads.repository.js';
import { ManualAlertsService } from './actions/manual-alerts.service.js';
import { TimelineEntry } from './events/timeline-entry.entity.js';
import { TimelineRepository } from './events/timeline.repository.js';
import { RelatedAlertsAdapter, OpenAlertsAdapter } from './summary/alert-adapters.js';
import { AlertSummaryController } from './summary/alert-summary.controller.js';
import { AlertSummaryRepository } from './summary/alert-summary.repository.js';
import { AlertSummaryService } from './summary/alert-summary.service.js';
import { Silence } from './silences/silence.entity.js';
import { SilenceEvaluator } from './silences/silence-evaluator.js';
import { SilencesController } from './silences/silences.controller.js';
import { ProjectOfSilence, SilencesRepository } from './silences/silences.repository.js';
import { SilencesService } from './silences/silences.service.js';
import { AlertFeed } from './events/alert-feed.js';
import { AlertEventSearch } from './summary/alert-event-search.reader.js';

const ENGINE = [
  AlertRaiser,
  AlertEventsRepository,
  AlertLifecycleService,
  AlertPoller,
  DueAlertsRunner,
  DueAlertsMaintenance,
  SilenceEvaluator,
  AlertNotifier,
  TimelineRepository,
];
const SILENCES = [ProjectOfSilence, SilencesRepository, SilencesService];
const SUMMARY = [
  AlertEventSearch,
  RelatedAlertsAdapter,
  AlertSummaryRepository,
  AlertSummaryService,
  OpenAlertsAdapter,
];

@Module({
  imports: [
    EventConditionsModule,
    FanOutModule,
    AuditModule,
    EventFeedModule,
    IngestionModule,
    EventReadsModule,
    EventStreamsModule,
    ProjectsModule,
    EventStoreModule,
    TypeOrmModule.forFeature([AlertEvent, TimelineEntry, Silence]),
  ],
  controllers: [AlertEventsController, AlertActionsController, SilencesController, AlertSummaryController],
  providers: [
    ...ENGINE,
    ...SILENCES,
    ...SUMMARY,
    AlertActionsService,
    AlertChangesService,
    AlertEventsService,
    AlertFeed,
    AlertReadsRepository,
    belongsToProject(AlertEventsRepository),
    ManualAlertsService,
    ProjectOfAlertEvent,
  ],
  exports: [AlertRaiser],
})
export class AlertsModule {}
