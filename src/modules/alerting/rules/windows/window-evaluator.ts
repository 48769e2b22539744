import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { AlertRaiser } from '../../alerts/index.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { type Effect, INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import { restingSeries, SeriesRepository, type StoredSeries } from '../machine/series.repository.js';
import { ruleOf } from '../firing-rule.js';
import type { LiveRule } from '../live-rules.repository.js';
import { HeartbeatsWriter } from '../../heartbeats/index.js';
import { lateSeconds } from './window-values.js';
import { type Seen, WindowObserver } from './window-observer.js';

/** Evaluates one rule on windows as of a time: it measures the windows, steps the state machine and raises alerts. */
@Injectable()
export class WindowEvaluator {
  constructor(
    private readonly series: SeriesRepository,
    private readonly evaluator: WindowObserver,
    private readonly heartbeats: HeartbeatsWriter,
    private readonly alerts: AlertRaiser,
    private readonly metrics: RuleMetrics,
  ) {}

  /**
   * @param now epoch milliseconds
   * @param tx holds the lock of the rule
   */
  async evaluate(rule: LiveRule, now: number, tx: Db): Promise<void> {
    const stored = await this.series.ofRule(rule.projectId, rule.id, tx);
    const seen = await this.evaluator.look(rule, now, stored, await this.watchedSince(rule, tx), tx);
    const known = new Map(stored.map((one) => [one.fingerprint, one]));
    const missed = hasMissed(rule, now);
    const left: StoredSeries[] = [];
    for (const one of seen) {
      const before = known.get(one.series.fingerprint);
      const from = stateBefore(before?.state ?? INACTIVE, missed);
      const { after, effect } = step(from, one.observation, now, rule.holds);
      if (before !== undefined || after.state !== 'inactive') {
        left.push({ ...(before ?? restingSeries(rule.id, one.series)), state: after });
      }
      await this.follow(rule, one, effect, tx);
    }
    await this.series.save(rule.projectId, left, tx);
  }

  /**
   * Returns since when the absence of events means that the senders sent none, in epoch milliseconds. Returns null
   * while the service is down, and for rules of other kinds than `absence`.
   */
  private async watchedSince(rule: LiveRule, tx: Db): Promise<number | null> {
    if (rule.condition.kind !== 'absence') return null;
    const upSince = await this.heartbeats.upSince(tx);
    return upSince === null ? null : Math.max(upSince, rule.watchedSince.getTime());
  }

  private async follow(rule: LiveRule, { series, message, values }: Seen, effect: Effect, tx: Db): Promise<void> {
    const { projectId, id: ruleId } = rule;
    const { fingerprint, groupValues } = series;
    if (effect === null) return;
    if (effect === 'recover') return this.alerts.recover({ projectId, ruleId, fingerprint }, tx);
    await this.alerts.fire(
      {
        projectId,
        rule: ruleOf(rule),
        fingerprint,
        groupValues,
        event: null,
        message,
        payload: { kind: rule.condition.kind, ...values, group: groupValues },
        occurrences: 1,
        continues: effect === 'repeat',
      },
      tx,
    );
    if (effect === 'fire') this.metrics.occurred(1);
  }
}

/**
 * Returns the state that an evaluation starts from. After missed evaluations, a pending series starts to wait again.
 */
function stateBefore(state: SeriesState, missed: boolean): SeriesState {
  return missed && state.state === 'pending' ? INACTIVE : state;
}

function hasMissed({ condition, lastEvaluatedAt }: LiveRule, now: number): boolean {
  if (lastEvaluatedAt === null || !('window_seconds' in condition)) return false;
  return now - lastEvaluatedAt.getTime() > lateSeconds(condition.window_seconds) * 1_000;
}
