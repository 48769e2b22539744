import { FilterRun, FilterTooCostly } from '../../../events/conditions/index.js';
import type { AcceptedEvent, AcceptedLocator, GroupValue } from '../../../events/event-store/index.js';
import { overflowSeries, type Series, seriesOf } from '../machine/series.js';
import { restingSeries, type StoredSeries } from '../machine/series.repository.js';
import type { LiveRule } from '../live-rules.repository.js';
import { RulesTooCostly } from '../outcomes/failure-reasons.js';
import type { CompiledRule, CompiledRules } from './compiled-rules.js';
import { keepsState, matched } from '../machine/matched-series.js';

/** The events of a batch that belong to one series of a rule, in order. */
export interface SeriesHits {
  readonly rule: LiveRule;
  readonly series: Series;
  readonly events: AcceptedLocator[];
}

/**
 * The effect of a batch on a series. The series fires for `occurrences` events, the first of which begins an alert, or
 * it recovers.
 */
export type Act =
  | {
      readonly kind: 'fire';
      readonly hits: SeriesHits;
      readonly first: AcceptedLocator;
      readonly last: AcceptedLocator;
      readonly occurrences: number;
    }
  | { readonly kind: 'recover'; readonly hits: SeriesHits; readonly at: AcceptedLocator };

/** A rule distinguishes this many groups in one batch. The events of all further groups form one series. */
const MAX_GROUPS = 200;
/**
 * All rules of a project together take at most this many steps for one event, about half a second. Further rules fail.
 */
export const MOST_STEPS_OF_AN_EVENT = 400_000_000;

/** No JSON text of a list of values equals this key. */
const OVERFLOW = 'overflow';

/**
 * Finds out which events belong to which series, one event after the other. It keeps only the locator of an event,
 * because the fields that rules read may be large.
 */
export class HitFinder {
  private readonly evaluations: readonly {
    readonly rule: LiveRule;
    readonly compiled: CompiledRule;
    readonly groups: BatchGroups;
  }[];
  private readonly filters = new FilterRun();
  private readonly answered = new Set<string>();

  /** @param onFault called when a rule fails for an event; the event then does not match the rule */
  constructor(
    rules: readonly LiveRule[],
    compiled: CompiledRules,
    private readonly onFault: (rule: LiveRule, event: AcceptedLocator, error: unknown) => void,
  ) {
    this.evaluations = rules.map((rule) => ({ rule, compiled: compiled.of(rule), groups: new BatchGroups(rule) }));
  }

  /**
   * Evaluates every rule for an event. Each rule is one step, after which the caller may do other work. A filter that
   * takes long runs in slices and yields a promise, which the caller has to await.
   */
  *evaluate({ fields, ...event }: AcceptedEvent): Generator<Promise<void> | undefined> {
    const subject = { fields, properties: NO_PROPERTIES };
    let left = MOST_STEPS_OF_AN_EVENT;
    for (const { rule, compiled, groups } of this.evaluations) {
      if (event.acceptedAt < rule.watchedSince || !mayFit(compiled, fields)) continue;
      const heard = (fits: boolean): void => {
        this.answered.add(rule.id);
        if (fits) groups.of(compiled.groupOf(subject)).events.push(event);
      };
      const most = left;
      const failed = (error: unknown): void => {
        const isForOthers = error instanceof FilterTooCostly && most < MOST_STEPS_OF_AN_EVENT;
        this.onFault(rule, event, isForOthers ? new RulesTooCostly() : error);
      };
      let answer: Promise<void> | undefined;
      try {
        if (most <= 0) throw new RulesTooCostly();
        const fits = this.filters.fits(compiled.matches, subject, most);
        if (typeof fits === 'boolean') heard(fits);
        else answer = fits.then(heard).catch(failed);
      } catch (error) {
        failed(error);
      }
      yield answer;
      left -= this.filters.steps;
    }
  }

  /** The ids of the rules that decided for at least one event whether it matches. */
  get answers(): ReadonlySet<string> {
    return this.answered;
  }

  /** Returns the hits by rule, and those of one rule in the order of their first events. */
  get hits(): SeriesHits[] {
    return this.evaluations.flatMap(({ groups }) => groups.all);
  }

  get count(): number {
    return this.evaluations.reduce((sum, { groups }) => sum + groups.count, 0);
  }
}

const NO_PROPERTIES = {};

/**
 * Returns whether the rule can match the event type. Other events are skipped: they do not show that the rule works.
 */
function mayFit({ types }: CompiledRule, fields: AcceptedEvent['fields']): boolean {
  return types === null || types.includes(String(fields['event']));
}

/** The groups of one rule in one batch. */
class BatchGroups {
  private readonly hits = new Map<string, SeriesHits>();

  constructor(private readonly rule: LiveRule) {}

  get all(): SeriesHits[] {
    return [...this.hits.values()];
  }

  get count(): number {
    return this.hits.size;
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

/** Returns the effects of the hits of one series, and the series afterwards; null when the rule stores no states. */
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
      if (effect === 'recover') acts.push({ kind: 'recover', hits, at: event });
      else if (before?.kind === 'fire')
        acts[acts.length - 1] = { ...before, last: event, occurrences: before.occurrences + 1 };
      else acts.push({ kind: 'fire', hits, first: event, last: event, occurrences: 1 });
    }
  }
  return { acts, after: current };
}
