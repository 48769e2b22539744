import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { filterOf } from '../../../events/conditions/index.js';
import { PastEventsReader, type TimeWindow } from '../../../events/event-store/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import { DomainError, domainError } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import type { Series } from '../machine/series.js';
import { ownFault } from '../outcomes/failure-reasons.js';
import type { CreateAlertRuleRequest } from '../rules.dto.js';
import { AlertRuleNotFound } from '../rules.repository.js';
import { type LiveRule, LiveRulesRepository } from '../live-rules.repository.js';
import { evaluationSeconds } from '../windows/window-values.js';
import { type Seen, WindowObserver } from '../windows/window-observer.js';
import {
  AlertRuleFailure,
  type AlertRulePreviewResponse,
  type BacktestRequest,
  type BacktestResponse,
  type BacktestResult,
} from './backtest.dto.js';
import { AnomalyBacktestEvaluator } from './anomaly-backtest-evaluator.js';
import { BacktestFirings } from './backtest-firings.js';
import { BacktestLimits } from './backtest-limits.js';
import { MatchBacktestEvaluator } from './match-backtest-evaluator.js';

const DAY_MS = 86_400_000;
/**
 * A rule reads events from up to this long before the window: it compares values with those of up to a week ago, and an
 * absence rule remembers its groups.
 */
const LOOKED_BACK_MS = 9 * DAY_MS;
const MOST_DAYS = 7;
const MOST_LOOKS = 300;
/** A process runs at most this many back-tests at once. Each holds a connection of the pool that all requests use. */
const AT_ONCE = 2;
/**
 * A back-test that gets no slot within this time is refused. The time is longer than a back-test may run, so that a
 * slot becomes free meanwhile.
 */
const WAIT_TIMEOUT_MS = 12_000;
/** When this many back-tests wait, a further one is refused at once. */
const MAX_QUEUED = 256;

export class TooManyBacktests extends domainError(503, 'Too many back-tests at once') {
  override readonly headers = { 'Retry-After': '5' };
}

/** `reason` is the sentence that the rule shows in `last_error`. */
export class AlertRuleFails extends DomainError {
  static readonly status = 409;
  static readonly answer = AlertRuleFailure;
  static readonly detail = {
    code: 'evaluation_failed',
    reason: 'PostgreSQL refuses one of its patterns as too complex',
  };

  constructor(reason: string = AlertRuleFails.detail.reason) {
    super(AlertRuleFails.status, { ...AlertRuleFails.detail, reason });
  }
}

type Run = Pick<BacktestResult, 'evaluations' | 'truncated'> & { readonly firings: BacktestFirings };

/**
 * Runs a rule over the past with the same state machine and evaluators as live rules. Nothing is stored and nobody is
 * notified.
 */
@Injectable()
export class BacktestService {
  private readonly slots = new FairSemaphore({
    parallel: AT_ONCE,
    maxPerKey: 1,
    maxQueued: MAX_QUEUED,
    timeout: { ms: WAIT_TIMEOUT_MS, refusal: TooManyBacktests },
  });

  constructor(
    private readonly rules: LiveRulesRepository,
    private readonly events: PastEventsReader,
    private readonly matches: MatchBacktestEvaluator,
    private readonly anomalies: AnomalyBacktestEvaluator,
    private readonly limits: BacktestLimits,
    private readonly evaluator: WindowObserver,
    private readonly clock: Clock,
  ) {}

  async run(scope: ProjectScope, id: string, request: BacktestRequest): Promise<BacktestResponse> {
    const result = await this.resultOf(scope, request, async (tx) => {
      const rule = await this.rules.find(scope, id, tx);
      if (rule === null) throw new AlertRuleNotFound();
      return rule;
    });
    return { rule_id: id, ...result };
  }

  /** Runs a rule that is not stored. Its caller has checked the definition. */
  async preview(scope: ProjectScope, request: CreateAlertRuleRequest): Promise<AlertRulePreviewResponse> {
    const rule = unstoredRule(scope.projectId, request);
    return { rule_id: null, ...(await this.resultOf(scope, request, () => Promise.resolve(rule))) };
  }

  private async resultOf(
    { projectId }: ProjectScope,
    request: BacktestRequest,
    ruleIn: (tx: Db) => Promise<LiveRule>,
  ): Promise<BacktestResult> {
    const window = windowOf(request, this.clock.now());
    try {
      return await this.slots.run(projectId, () => this.runOver(window, ruleIn));
    } catch (error) {
      const reason = ownFault(error);
      throw reason === null ? error : new AlertRuleFails(reason);
    }
  }

  private runOver(window: TimeWindow, ruleIn: (tx: Db) => Promise<LiveRule>): Promise<BacktestResult> {
    const lookedAt = { from: new Date(window.from.getTime() - LOOKED_BACK_MS) };
    return this.events.snapshot(lookedAt, async (tx) => {
      const rule = await ruleIn(tx);
      const { condition } = rule;
      const stepSeconds = 'window_seconds' in condition ? stepOf(rule, window) : null;
      const { evaluations, truncated, firings } =
        stepSeconds !== null
          ? await this.look(rule, window, stepSeconds, tx)
          : condition.kind === 'anomaly'
            ? await this.anomalies.run({ ...rule, condition }, window, tx)
            : await this.matches.run(rule, window, tx);
      return {
        from_ts: window.from.toISOString(),
        to_ts: window.to.toISOString(),
        evaluations,
        step_seconds: stepSeconds,
        truncated: truncated || firings.areCut,
        firings: firings.all,
      };
    });
  }

  private async look(rule: LiveRule, window: TimeWindow, stepSeconds: number, tx: Db): Promise<Run> {
    const { from, to } = window;
    const states = new Map<string, { series: Series; state: SeriesState }>();
    const firings = new BacktestFirings(this.limits);
    const until = performance.now() + this.limits.mostMs;
    const known = await this.evaluator.stage(rule, window, this.limits.stagingMs, tx);
    let evaluations = 0;
    for (let now = from.getTime(); now <= to.getTime(); now += stepSeconds * 1_000) {
      if (known !== null && now > known.getTime()) return { evaluations, truncated: true, firings };
      const open = [...states.values()].map(({ series }) => series);
      const left = until - performance.now();
      // Assumes that the rule was created at the start of the window and that the service was never down.
      const look = (): Promise<Seen[]> => this.evaluator.look(rule, now, open, from.getTime(), tx);
      const all = await this.events.within(left, look, tx);
      if (all === null) return { evaluations, truncated: true, firings };
      evaluations += 1;
      for (const { series, observation, message, values } of all) {
        const { fingerprint } = series;
        const { after, effect } = step(states.get(fingerprint)?.state ?? INACTIVE, observation, now, rule.holds);
        if (after.state === 'inactive') states.delete(fingerprint);
        else states.set(fingerprint, { series, state: after });
        if (effect === 'recover') firings.recover(series, now);
        if (effect !== 'fire') continue;
        const firing = firings.begin(now, series, null);
        if (firing !== null) firings.tell(firing, { reason: message, values });
      }
    }
    return { evaluations, truncated: false, firings };
  }
}

/** A back-test reads neither the recipients of a rule nor what depends on earlier evaluations. */
function unstoredRule(projectId: ProjectId, request: CreateAlertRuleRequest): LiveRule {
  const { name, severity, condition } = request;
  return {
    id: newId(),
    projectId,
    name,
    severity,
    condition,
    filter: filterOf(condition),
    groupBy: request.group_by,
    holds: { forSeconds: request.for_seconds, keepFiringSeconds: request.keep_firing_seconds },
    cooldownSeconds: request.cooldown_seconds,
    revision: 1,
    watchedSince: new Date(0),
    lastEvaluatedAt: null,
    targets: { kind: 'project' },
    isFailing: false,
  };
}

/** Returns the seconds between two evaluations of a rule on windows. */
function stepOf({ condition }: LiveRule, { from, to }: TimeWindow): number {
  if (!('window_seconds' in condition)) throw new AlertRuleNotFound();
  const seconds = (to.getTime() - from.getTime()) / 1_000;
  return Math.max(evaluationSeconds(condition.window_seconds), Math.ceil(seconds / MOST_LOOKS));
}

function windowOf({ from_ts, to_ts }: BacktestRequest, now: Date): TimeWindow {
  const to = to_ts ?? now;
  const from = from_ts ?? new Date(to.getTime() - DAY_MS);
  if (from >= to) throw brokenRule(['body', 'from_ts'], 'from_ts must lie before to_ts', from.toISOString());
  if (to.getTime() - from.getTime() > MOST_DAYS * DAY_MS) {
    throw brokenRule(['body', 'from_ts'], `a back-test covers at most ${MOST_DAYS} days`, from.toISOString());
  }
  return { from, to };
}
