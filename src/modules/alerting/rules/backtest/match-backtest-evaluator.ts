import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { FilterRun } from '../../../events/conditions/index.js';
import {
  AcceptedEventsReader,
  PastEventsReader,
  type EventLocator,
  MOST_TOLD_BYTES,
  type PastEvent,
  type Locator,
  type TimeWindow,
} from '../../../events/event-store/index.js';
import { type Series, seriesOf } from '../machine/series.js';
import { restingSeries, type StoredSeries } from '../machine/series.repository.js';
import { compileRule } from '../matching/compiled-rules.js';
import { matchFiring } from '../matching/match-firing.js';
import { keepsState, lapsed, matched } from '../machine/matched-series.js';
import type { LiveRule } from '../live-rules.repository.js';
import type { BacktestFiring } from './backtest.dto.js';
import { BacktestFirings } from './backtest-firings.js';
import { BacktestLimits } from './backtest-limits.js';

/**
 * Estimates the size of events from before sizes were recorded: their text is at most so many times their stored bytes.
 */
const TIMES_AS_STORED = 100;

/** The results of running a rule over the past so far. */
interface Past {
  readonly rule: LiveRule;
  readonly firings: BacktestFirings;
  readonly states: Map<string, { readonly series: Series; readonly stored: StoredSeries }>;
  evaluations: number;
}

/** A firing and the locator of the event that started it. */
interface Begun {
  readonly firing: BacktestFiring;
  readonly series: Series;
  readonly locator: EventLocator;
}

/**
 * Runs a `match` rule over the past. It finds the locators of candidate events page by page. Then it reads as many
 * events as may be in memory at once, and of each only the fields that the rule uses.
 */
@Injectable()
export class MatchBacktestEvaluator {
  constructor(
    private readonly events: PastEventsReader,
    private readonly accepted: AcceptedEventsReader,
    private readonly limits: BacktestLimits,
  ) {}

  /** @throws FilterTooCostly */
  async run(
    rule: LiveRule,
    window: TimeWindow,
    tx: Db,
  ): Promise<{ evaluations: number; truncated: boolean; firings: BacktestFirings }> {
    const past: Past = { rule, firings: new BacktestFirings(this.limits), states: new Map(), evaluations: 0 };
    const until = performance.now() + this.limits.mostMs;
    const { mostEvents: enough, stagingMs: milliseconds } = this.limits;
    const known = await this.events.stage(rule, window, { enough, milliseconds }, tx);
    const seen = { from: window.from, to: known ?? window.to };
    const isWhole = (await this.through(past, seen, until, tx)) && known === null;
    for (const { series, stored } of past.states.values()) {
      if (stored.dueAt === null || stored.dueAt > seen.to.getTime()) continue;
      if (lapsed(stored, stored.dueAt, rule.holds).effect === 'recover') past.firings.recover(series, stored.dueAt);
    }
    return { evaluations: past.evaluations, truncated: !isWhole, firings: past.firings };
  }

  /** @returns false when the limit of events or of time was reached before the end of the window */
  private async through(past: Past, window: TimeWindow, until: number, tx: Db): Promise<boolean> {
    const { rule } = past;
    const inTime = <T>(work: () => Promise<T>): Promise<T | null> =>
      this.events.within(until - performance.now(), work, tx);
    const { matches, groupOf, fields } = compileRule(rule);
    const mayBeLarge = fields.some((field) => field.startsWith('properties.'));
    const filters = new FilterRun();
    let after: Locator | null = null;
    for (;;) {
      const behind: Locator | null = after;
      const locators: EventLocator[] | null = await inTime(() =>
        this.events.locators(rule, window, behind, this.limits.pageEvents, tx),
      );
      if (locators === null) return false;
      for (const part of this.parts(locators, (locator) => (mayBeLarge ? sizeOf(locator) : 0))) {
        const events = await inTime(() => this.events.read(rule.projectId, part, fields, tx));
        if (events === null) return false;
        const begun: Begun[] = [];
        let isOver = false;
        for (const event of events) {
          isOver = past.evaluations >= this.limits.mostEvents || performance.now() >= until;
          if (isOver) break;
          // The database only preselects events. The compiled filter decides, as it does for live rules.
          const fits = filters.fits(matches, event.subject);
          if (!(typeof fits === 'boolean' ? fits : await fits)) continue;
          past.evaluations += 1;
          const series = seriesOf(rule.id, rule.groupBy, groupOf(event.subject));
          const firing = this.take(past, series, event);
          if (firing !== null) begun.push({ firing, series, locator: event.locator });
        }
        if (!(await this.tell(past, begun, inTime, tx)) || isOver) return false;
      }
      if (locators.length < this.limits.pageEvents) return true;
      after = locators.at(-1) ?? null;
    }
  }

  /** @returns the firing that the event starts; null when it starts none */
  private take({ rule, firings, states }: Past, series: Series, { locator }: PastEvent): BacktestFiring | null {
    const at = locator.timestamp.getTime();
    const before = states.get(series.fingerprint)?.stored ?? restingSeries(rule.id, series);
    const { after, effects } = keepsState(rule.holds)
      ? matched(before, at, rule.holds)
      : { after: before, effects: ['fire' as const] };
    states.set(series.fingerprint, { series, stored: after });
    let begun: BacktestFiring | null = null;
    for (const effect of effects) {
      const last = firings.openOf(series);
      if (effect === 'recover') firings.recover(series, before.dueAt ?? at);
      else if (last && at - Date.parse(last.at) < rule.cooldownSeconds * 1_000) last.occurrences += 1;
      else begun = firings.begin(at, series, locator.id);
    }
    return begun;
  }

  /** @returns false when there was no time to read the events that the reasons come from */
  private async tell(
    { rule, firings }: Past,
    begun: readonly Begun[],
    inTime: <T>(work: () => Promise<T>) => Promise<T | null>,
    tx: Db,
  ): Promise<boolean> {
    for (const part of this.parts(begun, ({ locator }) => Math.min(MOST_TOLD_BYTES, sizeOf(locator)))) {
      const locators = part.map(({ locator }) => ({ eventId: locator.id, eventAt: locator.timestamp.toISOString() }));
      const told = await inTime(() => this.accepted.told(rule.projectId, locators, tx));
      for (const [index, { firing, series }] of part.entries()) {
        const event = told?.[index] ?? null;
        const found = event === null ? null : matchFiring(rule, series, event, 1);
        firings.tell(firing, found && { reason: found.message, values: found.payload });
      }
      if (told === null) return false;
    }
    return true;
  }

  /** Splits a list into parts that fit into memory: at most `readBytes` each, but at least one entry. */
  private *parts<T>(all: readonly T[], bytesOf: (one: T) => number): Generator<T[]> {
    let part: T[] = [];
    let bytes = 0;
    for (const one of all) {
      const more = bytesOf(one);
      if (part.length > 0 && bytes + more > this.limits.readBytes) {
        yield part;
        part = [];
        bytes = 0;
      }
      part.push(one);
      bytes += more;
    }
    if (part.length > 0) yield part;
  }
}

function sizeOf({ bytes, stored }: EventLocator): number {
  return bytes ?? (stored ?? 0) * TIMES_AS_STORED;
}
