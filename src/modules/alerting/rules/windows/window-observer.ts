import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import type {
  AbsenceCondition,
  Aggregate,
  RateOfChangeCondition,
  ThresholdCondition,
} from '../../../events/conditions/index.js';
import { type GroupValue, type Measured, MeasuresReader, type TimeWindow } from '../../../events/event-store/index.js';
import type { Observation } from '../machine/rule-machine.js';
import { type Series, seriesOf } from '../machine/series.js';
import type { LiveRule } from '../live-rules.repository.js';
import { cut } from '../firing-rule.js';
import { changeInPercent, observeAbsence, observeChange, observeThreshold } from './window-values.js';

/** The observation of one series at one time, with its reason. */
export interface Seen {
  readonly series: Series;
  readonly observation: Observation;
  /** A sentence for people. */
  readonly message: string;
  /** The numbers behind the message. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** An absence rule watches the groups that had events within this time before the window. */
const REMEMBERED_SECONDS = 86_400;

/** Measures the windows of a rule as of a time. The state machine decides what follows from an observation. */
@Injectable()
export class WindowObserver {
  constructor(private readonly measures: MeasuresReader) {}

  /**
   * Returns one observation for each measured series and each known one, as of `now` in epoch milliseconds.
   * @param known series that have a state, so that they are observed even when they have no events any more
   * @param watchedSince since when the absence of events can be determined, in epoch milliseconds; null when it cannot
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
      case 'match':
      case 'anomaly':
        return [];
    }
  }

  /**
   * Makes the events that observations of the past need available in a snapshot, wherever the events are stored. Call
   * it before the first {@link look}.
   * @param window from the first observation to the last
   * @param milliseconds how long fetching archived events may take
   * @returns null when all events are available; else, because there are too many, the time of the last possible
   * observation
   * @throws ArchiveUnavailable
   */
  async stage(rule: LiveRule, window: TimeWindow, milliseconds: number, tx: Db): Promise<Date | null> {
    const { condition } = rule;
    switch (condition.kind) {
      case 'threshold':
      case 'rate_of_change': {
        const { window_seconds: seconds, aggregate, aggregate_field: field } = condition;
        const agos = condition.kind === 'threshold' ? [0] : [0, condition.compare_seconds];
        const windows = agos.map((ago) => ({ from: before(window.from, ago + seconds), to: before(window.to, ago) }));
        return this.measures.stage(rule, windows, { aggregate, field, seconds }, milliseconds, tx);
      }
      case 'absence': {
        const windows = [{ from: before(window.from, lookBackSeconds(rule, condition)), to: window.to }];
        return this.measures.stage(rule, windows, null, milliseconds, tx);
      }
      case 'match':
      case 'anomaly':
        return null;
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
    return readings(rule, measured, known, noneOf(aggregate)).map(({ series, value, isKnown }) => ({
      series,
      observation: isKnown ? observeThreshold(value, condition) : 'unknown',
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
    const none = noneOf(aggregate);
    const then = readings(rule, before, known, none);
    const past = new Map(then.map((reading) => [reading.series.fingerprint, reading]));
    const all = readings(
      rule,
      present,
      then.map(({ series }) => series),
      none,
    );
    return all.map(({ series, value, isKnown }) => {
      const { value: previous, isKnown: wasKnown } = past.get(series.fingerprint) ?? {
        value: none,
        isKnown: !before.isCut,
      };
      const change = changeInPercent(value, previous);
      return {
        series,
        observation: isKnown && wasKnown ? observeChange(change, condition) : 'unknown',
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
    condition: AbsenceCondition,
    now: number,
    known: readonly Series[],
    watchedSince: number | null,
    db?: Db,
  ): Promise<Seen[]> {
    const { window_seconds: seconds } = condition;
    const measured = await this.measures.lastSeen(rule, windowBefore(now, lookBackSeconds(rule, condition)), db);
    return readings(rule, measured, known, null).map(({ series, value, isKnown }) => ({
      series,
      observation: isKnown ? observeAbsence(value, now, seconds, watchedSince) : 'unknown',
      message: sentence(rule, series, `no event for ${seconds} s`),
      values: { window_seconds: seconds, last_event_at: value === null ? null : new Date(value).toISOString() },
    }));
  }
}

function lookBackSeconds({ groupBy }: LiveRule, { window_seconds: seconds }: AbsenceCondition): number {
  return groupBy.length === 0 ? seconds : seconds + REMEMBERED_SECONDS;
}

function before(at: Date, seconds: number): Date {
  return new Date(at.getTime() - seconds * 1_000);
}

function windowBefore(end: number, seconds: number): TimeWindow {
  return { from: new Date(end - seconds * 1_000), to: new Date(end) };
}

interface Reading {
  readonly series: Series;
  readonly value: number | null;
  /** False when the series may have events that were not read, because too many other series have more. */
  readonly isKnown: boolean;
}

/** Returns the measured series, and the known series for which nothing was measured. */
function readings(
  rule: LiveRule,
  { measures, isCut }: Measured,
  known: readonly Series[],
  none: number | null,
): Reading[] {
  const found = new Map<string, Reading>();
  for (const { group, value } of measures) {
    const series = seriesOf(rule.id, rule.groupBy, group);
    found.set(series.fingerprint, { series, value, isKnown: true });
  }
  for (const series of known) {
    if (!found.has(series.fingerprint)) found.set(series.fingerprint, { series, value: none, isKnown: !isCut });
  }
  return [...found.values()];
}

/** Returns the value of an aggregate over no events. */
function noneOf(aggregate: Aggregate): number | null {
  return aggregate === 'count' ? 0 : null;
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
