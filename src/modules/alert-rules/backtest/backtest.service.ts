import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../platform/access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { brokenRule } from '../../../platform/http/fields/index.js';
import { FilterRun } from '../../alert-conditions/index.js';
import type { TimeWindow } from '../../event-totals/index.js';
import { INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import type { Series } from '../machine/series.js';
import { restingSeries, type StoredSeries } from '../machine/series.repository.js';
import { compileRule } from '../matching/compiled-rules.js';
import { type EventRow, subjectOf } from '../matching/event-row.js';
import { matchFiring } from '../matching/match-firing.js';
import { keepsState, lapsed, matched } from '../matching/matched-series.js';
import { seriesOf } from '../machine/series.js';
import { ownFault } from '../engine/failure-reasons.js';
import { AlertRuleFails, AlertRuleNotFound } from '../rules/alert-rules.errors.js';
import { type LiveRule, LiveRules } from '../rules/live-rules.js';
import { evaluationSeconds } from '../windows/window-values.js';
import { type Seen, WindowEvaluator } from '../windows/window-evaluator.js';
import type { BacktestFiring, BacktestRequest, BacktestResponse } from './backtest.dto.js';
import { BacktestRepository } from './backtest.repository.js';

const DAY_MS = 86_400_000;
const MOST_DAYS = 7;
const MOST_LOOKS = 300;
const MOST_EVENTS = 5_000;
const MOST_FIRINGS = 500;
/** A request waits no longer; what was seen by then is answered. */
const MOST_MS = 10_000;

type Run = Pick<BacktestResponse, 'evaluations' | 'step_seconds' | 'truncated'> & { firings: BacktestFiring[] };
/** A firing that may still recover, or take another occurrence. */
type Open = Map<string, BacktestFiring>;

/** Runs a rule over the past by the machine and the evaluators of the present; nothing is stored and nobody is told. */
@Injectable()
export class BacktestService {
  constructor(
    private readonly database: Database,
    private readonly rules: LiveRules,
    private readonly events: BacktestRepository,
    private readonly evaluator: WindowEvaluator,
    private readonly clock: Clock,
  ) {}

  async run(scope: ProjectScope, id: string, request: BacktestRequest): Promise<BacktestResponse> {
    const window = windowOf(request, this.clock.now());
    try {
      return await this.runOver(scope, id, window);
    } catch (error) {
      const reason = ownFault(error);
      throw reason === null ? error : new AlertRuleFails(reason);
    }
  }

  private runOver(scope: ProjectScope, id: string, window: TimeWindow): Promise<BacktestResponse> {
    return this.database.snapshot(async (tx) => {
      const rule = await this.rules.find(scope, id, tx);
      if (rule === null) throw new AlertRuleNotFound();
      const run =
        rule.condition.kind === 'match' ? await this.match(rule, window, tx) : await this.look(rule, window, tx);
      return {
        rule_id: id,
        from_ts: window.from.toISOString(),
        to_ts: window.to.toISOString(),
        ...run,
        truncated: run.truncated || run.firings.length > MOST_FIRINGS,
        firings: run.firings.slice(0, MOST_FIRINGS),
      };
    });
  }

  private async match(rule: LiveRule, window: TimeWindow, tx: Db): Promise<Run> {
    const read = await this.events.within(MOST_MS, () => this.events.fitting(rule, window, MOST_EVENTS + 1, tx), tx);
    const { groupOf, matches } = compileRule(rule);
    const filters = new FilterRun();
    const events: EventRow[] = [];
    // What the database finds is asked about again: our own machine decides.
    for (const event of read ?? []) if (await filters.fits(matches, subjectOf(event))) events.push(event);
    const states = new Map<string, StoredSeries>();
    const open: Open = new Map();
    const firings: BacktestFiring[] = [];
    for (const event of events.slice(0, MOST_EVENTS)) {
      const at = event.timestamp.getTime();
      const series = seriesOf(rule.id, rule.groupBy, groupOf(subjectOf(event)));
      const before = states.get(series.fingerprint) ?? restingSeries(rule.id, series);
      const { after, effects } = keepsState(rule.holds)
        ? matched(before, at, rule.holds)
        : { after: before, effects: ['fire' as const] };
      states.set(series.fingerprint, after);
      for (const effect of effects) {
        const last = open.get(series.fingerprint);
        if (effect === 'recover') {
          if (last) last.until = new Date(before.dueAt ?? at).toISOString();
          open.delete(series.fingerprint);
        } else if (last && at - Date.parse(last.at) < rule.cooldownSeconds * 1_000) last.occurrences += 1;
        else {
          const { message, payload } = matchFiring(rule, series, event, 1);
          const firing = firingAt(at, series, message, payload, event.id);
          firings.push(firing);
          open.set(series.fingerprint, firing);
        }
      }
    }
    for (const [fingerprint, series] of states) {
      const last = open.get(fingerprint);
      if (!last || series.dueAt === null || series.dueAt > window.to.getTime()) continue;
      if (lapsed(series, series.dueAt, rule.holds).effect === 'recover')
        last.until = new Date(series.dueAt).toISOString();
    }
    const truncated = read === null || read.length > MOST_EVENTS;
    return { evaluations: Math.min(events.length, MOST_EVENTS), step_seconds: null, truncated, firings };
  }

  private async look(rule: LiveRule, { from, to }: TimeWindow, tx: Db): Promise<Run> {
    const { condition } = rule;
    if (!('window_seconds' in condition)) throw new AlertRuleNotFound();
    const length = to.getTime() - from.getTime();
    const stepSeconds = Math.max(evaluationSeconds(condition.window_seconds), Math.ceil(length / 1_000 / MOST_LOOKS));
    const states = new Map<string, { series: Series; state: SeriesState }>();
    const open: Open = new Map();
    const firings: BacktestFiring[] = [];
    const until = performance.now() + MOST_MS;
    let evaluations = 0;
    for (let now = from.getTime(); now <= to.getTime(); now += stepSeconds * 1_000) {
      const known = [...states.values()].map(({ series }) => series);
      const left = until - performance.now();
      // As if the rule had been made at the beginning, and nothing of ours had ever been down.
      const look = (): Promise<Seen[]> => this.evaluator.look(rule, now, known, from.getTime(), tx);
      const all = await this.events.within(left, look, tx);
      if (all === null) return { evaluations, step_seconds: stepSeconds, truncated: true, firings };
      evaluations += 1;
      for (const seen of all) {
        const { fingerprint } = seen.series;
        const { after, effect } = step(states.get(fingerprint)?.state ?? INACTIVE, seen.observation, now, rule.holds);
        if (after.state === 'inactive') states.delete(fingerprint);
        else states.set(fingerprint, { series: seen.series, state: after });
        if (effect === 'fire') {
          const firing = firingAt(now, seen.series, seen.message, seen.values, null);
          firings.push(firing);
          open.set(fingerprint, firing);
        } else if (effect === 'recover') {
          const last = open.get(fingerprint);
          if (last) last.until = new Date(now).toISOString();
          open.delete(fingerprint);
        }
      }
    }
    return { evaluations, step_seconds: stepSeconds, truncated: false, firings };
  }
}

function firingAt(
  at: number,
  { groupValues }: Series,
  reason: string,
  values: Readonly<Record<string, unknown>>,
  eventId: string | null,
): BacktestFiring {
  return {
    at: new Date(at).toISOString(),
    until: null,
    group: groupValues,
    reason,
    values,
    event_id: eventId,
    occurrences: 1,
  };
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
