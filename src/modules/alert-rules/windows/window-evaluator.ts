import { Injectable } from '@nestjs/common';
import type { Db } from '../../../platform/database/database.js';
import type { AbsenceCondition, RateOfChangeCondition, ThresholdCondition } from '../../alert-conditions/index.js';
import type { TimeWindow } from '../../event-totals/index.js';
import type { Observation } from '../machine/rule-machine.js';
import { type GroupValue, type Series, seriesOf } from '../machine/series.js';
import type { LiveRule } from '../rules/live-rules.js';
import { cut } from '../matching/match-firing.js';
import { type Measure, Measures } from './measures.js';
import { changeInPercent, observeAbsence, observeChange, observeThreshold } from './window-values.js';

/** What was seen of one series at one time, and why. */
export interface Seen {
  readonly series: Series;
  readonly observation: Observation;
  /** A sentence for people. */
  readonly message: string;
  /** The numbers behind it. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Groups of an absence rule are those that had events in this time before the window. */
const REMEMBERED_SECONDS = 86_400;

/** Looks at the windows of a rule as they are at a time. It decides nothing: that is the machine's. */
@Injectable()
export class WindowEvaluator {
  constructor(private readonly measures: Measures) {}

  /**
   * @param known series that have a state, so that they are seen also when their events have ceased
   * @param watchedSince since when the absence of events can be told, epoch milliseconds; null: it cannot
   */
  async look(
    rule: LiveRule,
    now: number,
    known: readonly Series[],
    watchedSince: number | null,
    db?: Db,
  ): Promise<Seen[]> {
    const { condition } = rule;
    switch (condition.kind) {
      case 'threshold':
        return this.threshold(rule, condition, now, known, db);
      case 'rate_of_change':
        return this.change(rule, condition, now, known, db);
      case 'absence':
        return this.absence(rule, condition, now, known, watchedSince, db);
      default:
        return [];
    }
  }

  private async threshold(
    rule: LiveRule,
    condition: ThresholdCondition,
    now: number,
    known: readonly Series[],
    db?: Db,
  ): Promise<Seen[]> {
    const { window_seconds: seconds, aggregate, aggregate_field: field, op, value: target } = condition;
    const measured = await this.measures.values(rule, windowBefore(now, seconds), { aggregate, field }, db);
    return seriesWith(rule, measured, known, aggregate === 'count' ? 0 : null).map(({ series, value }) => ({
      series,
      observation: observeThreshold(value, condition),
      message: sentence(
        rule,
        series,
        `${what(aggregate, field)} over ${seconds} s is ${show(value)} (${op} ${target})`,
      ),
      values: { aggregate, aggregate_field: field, window_seconds: seconds, value, op, threshold: target },
    }));
  }

  private async change(
    rule: LiveRule,
    condition: RateOfChangeCondition,
    now: number,
    known: readonly Series[],
    db?: Db,
  ): Promise<Seen[]> {
    const { window_seconds: seconds, compare_seconds: ago, aggregate, aggregate_field: field } = condition;
    const wanted = { aggregate, field };
    const present = await this.measures.values(rule, windowBefore(now, seconds), wanted, db);
    const before = await this.measures.values(rule, windowBefore(now - ago * 1_000, seconds), wanted, db);
    const none = aggregate === 'count' ? 0 : null;
    const past = seriesWith(rule, before, known, none);
    const pastValues = new Map(past.map(({ series, value }) => [series.fingerprint, value]));
    const all = seriesWith(
      rule,
      present,
      past.map(({ series }) => series),
      none,
    );
    return all.map(({ series, value }) => {
      const previous = pastValues.get(series.fingerprint) ?? none;
      const change = changeInPercent(value, previous);
      return {
        series,
        observation: observeChange(change, condition),
        message: sentence(
          rule,
          series,
          `${what(aggregate, field)} over ${seconds} s is ${show(value)}, it was ${show(previous)} ${ago} s before (${show(change)} %)`,
        ),
        values: {
          aggregate,
          aggregate_field: field,
          window_seconds: seconds,
          compare_seconds: ago,
          value,
          previous,
          change_percent: change,
          direction: condition.direction,
          percent: condition.percent,
        },
      };
    });
  }

  private async absence(
    rule: LiveRule,
    { window_seconds: seconds }: AbsenceCondition,
    now: number,
    known: readonly Series[],
    watchedSince: number | null,
    db?: Db,
  ): Promise<Seen[]> {
    const lookBack = rule.groupBy.length === 0 ? seconds : seconds + REMEMBERED_SECONDS;
    const measured = await this.measures.lastSeen(rule, windowBefore(now, lookBack), db);
    return seriesWith(rule, measured, known, null).map(({ series, value }) => ({
      series,
      observation: observeAbsence(value, now, seconds, watchedSince),
      message: sentence(rule, series, `no event for ${seconds} s`),
      values: { window_seconds: seconds, last_event_at: value === null ? null : new Date(value).toISOString() },
    }));
  }
}

function windowBefore(end: number, seconds: number): TimeWindow {
  return { from: new Date(end - seconds * 1_000), to: new Date(end) };
}

/** The measured series, and the known ones of which nothing was measured. */
function seriesWith(
  rule: LiveRule,
  measured: readonly Measure[],
  known: readonly Series[],
  none: number | null,
): { series: Series; value: number | null }[] {
  const found = new Map(
    measured.map(({ group, value }) => {
      const series = seriesOf(rule.id, rule.groupBy, group);
      return [series.fingerprint, { series, value }] as const;
    }),
  );
  for (const series of known) {
    if (!found.has(series.fingerprint)) found.set(series.fingerprint, { series, value: none });
  }
  return [...found.values()];
}

function what(aggregate: string, field: string | undefined): string {
  return field === undefined ? aggregate : `${aggregate} of ${field}`;
}

function show(value: number | null): string {
  return value === null ? 'unknown' : String(Math.round(value * 1_000) / 1_000);
}

function sentence(rule: LiveRule, { groupValues }: Series, text: string): string {
  const group = Object.entries(groupValues)
    .map(([field, value]: [string, GroupValue]) => `${field}=${String(value)}`)
    .join(', ');
  return cut(`${rule.name}: ${text}${group === '' ? '' : ` for ${group}`}`);
}
