import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertConditionsModule } from '../conditions/index.js';
import { AlertDestinationsModule } from '../destinations/index.js';
import { AlertsModule } from '../alerts/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { DeliveryModule } from '../../delivery/deliveries/index.js';
import { EventFeedModule } from '../../events/feed/index.js';
import { IngestionModule } from '../../events/ingestion/index.js';
import { EventReadsModule } from '../../events/reads/index.js';
import { EventTotalsModule } from '../../events/totals/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { BacktestLimits } from './backtest/backtest-limits.js';
import { BacktestRepository } from './backtest/backtest.repository.js';
import { BacktestService } from './backtest/backtest.service.js';
import { MatchBacktest } from './backtest/match-backtest.js';
import { RuleMetrics } from './engine/rule-metrics.js';
import { RulePoller } from './engine/rule-poller.js';
import { RuleEvaluationsProcessor, RuleRound } from './engine/rule-round.js';
import { SeriesRepository } from './machine/series.repository.js';
import { FiringsRepository } from './matching/firings.repository.js';
import { MatchMarks } from './matching/match-marks.repository.js';
import { MatchRound } from './matching/match-round.js';
import { MatchTurn } from './matching/match-turn.js';
import { OutboxRepository } from './matching/outbox.repository.js';
import { Raiser } from './matching/raiser.js';
import { SetAside } from './matching/set-aside.js';
import { UnwatchedEvents } from './matching/unwatched-events.js';
import { AlertRule } from './rules/alert-rule.entity.js';
import { AlertRulesController } from './rules/alert-rules.controller.js';
import { AlertRulesRepository, ProjectOfAlertRule } from './rules/alert-rules.repository.js';
import { AlertRulesService } from './rules/alert-rules.service.js';
import { LiveRules } from './rules/live-rules.js';
import { RuleFailures } from './rules/rule-failures.js';
import { RuleLinksRepository } from './rules/rule-links.js';
import { Heartbeats } from './windows/heartbeats.js';
import { Measures } from './windows/measures.js';
import { WindowEvaluation } from './windows/window-evaluation.js';
import { WindowEvaluator } from './windows/window-evaluator.js';
import { WindowRound } from './windows/window-round.js';

@Module({
  imports: [
    AlertConditionsModule,
    AlertDestinationsModule,
    AlertsModule,
    AuditModule,
    DeliveryModule,
    EventFeedModule,
    IngestionModule,
    EventReadsModule,
    EventTotalsModule,
    ProjectsModule,
    TypeOrmModule.forFeature([AlertRule]),
  ],
  controllers: [AlertRulesController],
  providers: [
    AlertRulesRepository,
    AlertRulesService,
    BacktestLimits,
    BacktestRepository,
    BacktestService,
    FiringsRepository,
    Heartbeats,
    LiveRules,
    MatchBacktest,
    MatchMarks,
    MatchRound,
    MatchTurn,
    Measures,
    OutboxRepository,
    ProjectOfAlertRule,
    Raiser,
    RuleEvaluationsProcessor,
    RuleFailures,
    RuleLinksRepository,
    RuleMetrics,
    RulePoller,
    RuleRound,
    SeriesRepository,
    SetAside,
    UnwatchedEvents,
    WindowEvaluation,
    WindowEvaluator,
    WindowRound,
  ],
})
export class AlertRulesModule {}
