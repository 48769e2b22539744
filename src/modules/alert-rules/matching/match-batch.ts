import { FilterRun, FilterTooCostly } from '../../alert-conditions/index.js';
import { BatchTooCostly } from '../engine/database-faults.js';
import { type GroupValue, overflowSeries, type Series, seriesOf } from '../machine/series.js';
import { restingSeries, type StoredSeries } from '../machine/series.repository.js';
import type { LiveRule } from '../rules/live-rules.js';
import type { CompiledRules } from './compiled-rules.js';
import { keepsState, matched } from './matched-series.js';

/** An accepted event, with what the rules of its project look at. */
export interface AcceptedEvent {
  /** Of its row in the outbox. */
  readonly position: string;
  /** In that row, from 1. */
  readonly place: number;
  readonly acceptedAt: Date;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The events of a batch that belong to one series of a rule, in order. */
export interface SeriesHits {
  readonly rule: LiveRule;
  readonly series: Series;
  readonly events: AcceptedEvent[];
}

/** What a batch does to a series: fires for so many events, the first of which is told, or recovers. */
export type Act =
  | {
      readonly kind: 'fire';
      readonly hits: SeriesHits;
      readonly first: AcceptedEvent;
      readonly last: AcceptedEvent;
      readonly occurrences: number;
    }
  | { readonly kind: 'recover'; readonly ruleId: string; readonly fingerprint: string };

/** In one batch a rule tells so many groups apart; more go together. */
const MAX_GROUPS = 200;
/** No list of values reads so. */
const OVERFLOW = 'overflow';

/** All filters of a batch may take so many steps, some ten seconds: its transaction waits meanwhile. */
const MOST_STEPS = 3_000_000_000;

/**
 * Which events of a batch belong to which series. The steps that filters take are shared among the rules; what one leaves
 * goes to those after it. A rule that takes more than its share of the smallest batch is not asked any further.
 * @param onFault told when a rule cannot be asked about an event, which then does not match it
 * @throws BatchTooCostly when a batch of fewer rows may do
 */
export async function findHits(
  rules: readonly LiveRule[],
  events: readonly AcceptedEvent[],
  compiled: CompiledRules,
  onFault: (rule: LiveRule, event: AcceptedEvent, error: unknown) => void,
  mostSteps = MOST_STEPS,
): Promise<SeriesHits[]> {
  const all: SeriesHits[] = [];
  // Many rules with patterns may take long; requests of the same process have their turn meanwhile.
  const filters = new FilterRun();
  const isSmallest = events[0]?.position === events.at(-1)?.position;
  let left = mostSteps;
  for (const [index, rule] of rules.entries()) {
    let share = left / (rules.length - index);
    left -= share;
    const { matches, groupOf } = compiled.of(rule);
    const groups = new BatchGroups(rule);
    for (const event of events) {
      if (event.acceptedAt < rule.watchedSince) continue;
      const subject = { fields: event.fields, properties: NO_PROPERTIES };
      try {
        const answer = filters.fits(matches, subject);
        if (answer === true || (answer !== false && (await answer))) groups.of(groupOf(subject)).events.push(event);
      } catch (error) {
        onFault(rule, event, error);
      }
      share -= filters.steps;
      if (share >= 0) continue;
      if (!isSmallest) throw new BatchTooCostly();
      onFault(rule, event, new FilterTooCostly());
      break;
    }
    left += share;
    all.push(...groups.all);
  }
  return all;
}

const NO_PROPERTIES = {};

/** The groups of one rule in one batch. */
class BatchGroups {
  private readonly hits = new Map<string, SeriesHits>();

  constructor(private readonly rule: LiveRule) {}

  get all(): SeriesHits[] {
    return [...this.hits.values()];
  }

  of(values: readonly GroupValue[]): SeriesHits {
    const key = JSON.stringify(values);
    const { rule } = this;
    return (
      this.hits.get(key) ??
      (this.hits.size < MAX_GROUPS
        ? this.begin(key, seriesOf(rule.id, rule.groupBy, values))
        : (this.hits.get(OVERFLOW) ?? this.begin(OVERFLOW, overflowSeries(rule.id))))
    );
  }

  private begin(key: string, series: Series): SeriesHits {
    const hits: SeriesHits = { rule: this.rule, series, events: [] };
    this.hits.set(key, hits);
    return hits;
  }
}

/** What the hits of one series do, and where they leave it; null: the rule keeps no states. */
export function actsOf(
  hits: SeriesHits,
  stored: StoredSeries | undefined,
): { acts: Act[]; after: StoredSeries | null } {
  const { rule, series, events } = hits;
  const [first, last] = [events.at(0), events.at(-1)];
  if (first === undefined || last === undefined) return { acts: [], after: null };
  if (!keepsState(rule.holds)) {
    return { acts: [{ kind: 'fire', hits, first, last, occurrences: events.length }], after: null };
  }
  const acts: Act[] = [];
  let current = stored ?? restingSeries(rule.id, series);
  for (const event of events) {
    const { after, effects } = matched(current, event.acceptedAt.getTime(), rule.holds);
    current = after;
    for (const effect of effects) {
      const before = acts.at(-1);
      if (effect === 'recover') acts.push({ kind: 'recover', ruleId: rule.id, fingerprint: series.fingerprint });
      else if (before?.kind === 'fire')
        acts[acts.length - 1] = { ...before, last: event, occurrences: before.occurrences + 1 };
      else acts.push({ kind: 'fire', hits, first: event, last: event, occurrences: 1 });
    }
  }
  return { acts, after: current };
}
