import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventConditionsModule } from '../../events/conditions/index.js';
import { AlertDestinationsModule } from '../destinations/index.js';
import { AlertsModule } from '../alerts/index.js';
import { HeartbeatsModule } from '../heartbeats/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { DeliveryModule } from '../../delivery/deliveries/index.js';
import { EventFeedModule } from '../../events/feed/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { EventStoreModule } from '../../events/event-store/index.js';
import { SentinelModule } from '../sentinel/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { BacktestController } from './backtest/backtest.controller.js';
import { BacktestLimits } from './backtest/backtest-limits.js';
import { BacktestService } from './backtest/backtest.service.js';
import { MatchBacktestEvaluator } from './backtest/match-backtest-evaluator.js';
import { AnomalyRules } from './findings/anomaly-rules.js';
import { AnomalyBacktestEvaluator } from './backtest/anomaly-backtest-evaluator.js';
import { RuleMetrics } from './outcomes/rule-metrics.js';
import { RulePoller } from './engine/rule-poller.js';
import { RuleEvaluationsProcessor } from './engine/rule-evaluations.processor.js';
import { RuleRunner } from './engine/rule-runner.js';
import { SeriesRepository } from './machine/series.repository.js';
import { FiringsRepository } from './matching/firings.repository.js';
import { MatchMarksRepository } from './matching/match-marks.repository.js';
import { MatchRunner } from './matching/match-runner.js';
import { MatchEvaluator } from './matching/match-evaluator.js';
import { OutboxMaintenance, OutboxRepository } from './matching/outbox.repository.js';
import { FiringsProcessor } from './matching/firings-processor.js';
import { SetAsideService } from './matching/set-aside.service.js';
import { AlertRule } from './rule.entity.js';
import { AlertRulesController } from './rules.controller.js';
import { AlertRulesRepository, ProjectOfAlertRule } from './rules.repository.js';
import { AlertRulesService } from './rules.service.js';
import { LiveRulesRepository } from './live-rules.repository.js';
import { RuleFailuresRepository } from './outcomes/rule-failures.repository.js';
import { RuleLinksRepository } from './rule-links.repository.js';
import { DueRulesRepository } from './windows/due-rules.repository.js';
import { WindowEvaluator } from './windows/window-evaluator.js';
import { WindowObserver } from './windows/window-observer.js';
import { WindowRunner } from './windows/window-runner.js';
import { AlertRuleSearch } from './alert-rule-search.reader.js';

@Module({
  imports: [
    EventConditionsModule,
    AlertDestinationsModule,
    AlertsModule,
    AuditModule,
    DeliveryModule,
    EventFeedModule,
    IngestionModule,

    EventStoreModule,

    HeartbeatsModule,
    ProjectsModule,
    SentinelModule,
    TypeOrmModule.forFeature([AlertRule]),
  ],
  controllers: [AlertRulesController, BacktestController],
  providers: [
    AlertRuleSearch,
    AlertRulesRepository,
    AlertRulesService,
    AnomalyBacktestEvaluator,
    AnomalyRules,
    BacktestLimits,

    BacktestService,
    DueRulesRepository,
    FiringsRepository,
    LiveRulesRepository,
    MatchBacktestEvaluator,
    MatchMarksRepository,
    MatchRunner,
    MatchEvaluator,

    OutboxMaintenance,

    OutboxRepository,
    ProjectOfAlertRule,
    FiringsProcessor,
    RuleEvaluationsProcessor,
    RuleFailuresRepository,
    RuleLinksRepository,
    RuleMetrics,
    RulePoller,
    RuleRunner,
    SeriesRepository,
    SetAsideService,
    WindowEvaluator,
    WindowObserver,
    WindowRunner,
  ],
})
export class AlertRulesModule {}
