import { overflowSeries, type Series, seriesOf } from '../machine/series.js';
import { restingSeries, type StoredSeries } from '../machine/series.repository.js';
import type { LiveRule } from '../rules/live-rules.js';
import type { CompiledRules } from './compiled-rules.js';
import { type EventRow, subjectOf } from './event-row.js';
import { keepsState, matched } from './matched-series.js';

/** The events of a batch that belong to one series of a rule, in order. */
export interface SeriesHits {
  readonly rule: LiveRule;
  readonly series: Series;
  readonly events: EventRow[];
}

/** What a batch does to a series: fires for so many events, the last of which is told, or recovers. */
export type Act =
  | { readonly kind: 'fire'; readonly hits: SeriesHits; readonly event: EventRow; readonly occurrences: number }
  | { readonly kind: 'recover'; readonly ruleId: string; readonly fingerprint: string };

/** In one batch a rule tells so many groups apart; more go together. */
const MAX_GROUPS = 200;

/**
 * Which events of a batch belong to which series.
 * @param onFault told when a rule cannot be asked about an event, which then does not match it
 */
export function findHits(
  rules: readonly LiveRule[],
  events: readonly EventRow[],
  compiled: CompiledRules,
  onFault: (rule: LiveRule, event: EventRow, error: unknown) => void,
): SeriesHits[] {
  const hits = new Map<string, SeriesHits>();
  const groups = new Map<string, number>();
  const subjects = events.map(subjectOf);
  for (const rule of rules) {
    const { matches, groupOf } = compiled.of(rule);
    const ungrouped = rule.groupBy.length === 0 ? seriesOf(rule.id, [], []) : null;
    for (const [index, event] of events.entries()) {
      const subject = subjects[index];
      if (subject === undefined || event.accepted_at < rule.watchedSince) continue;
      try {
        if (!matches(subject)) continue;
        let series = ungrouped ?? seriesOf(rule.id, rule.groupBy, groupOf(subject));
        if (!hits.has(series.fingerprint)) {
          const count = (groups.get(rule.id) ?? 0) + 1;
          groups.set(rule.id, count);
          if (count > MAX_GROUPS) series = overflowSeries(rule.id);
        }
        const known = hits.get(series.fingerprint);
        if (known) known.events.push(event);
        else hits.set(series.fingerprint, { rule, series, events: [event] });
      } catch (error) {
        onFault(rule, event, error);
      }
    }
  }
  return [...hits.values()];
}

/** What the hits of one series do, and where they leave it; null: the rule keeps no states. */
export function actsOf(
  hits: SeriesHits,
  stored: StoredSeries | undefined,
): { acts: Act[]; after: StoredSeries | null } {
  const { rule, series, events } = hits;
  const last = events.at(-1);
  if (last === undefined) return { acts: [], after: null };
  if (!keepsState(rule.holds)) {
    return { acts: [{ kind: 'fire', hits, event: last, occurrences: events.length }], after: null };
  }
  const acts: Act[] = [];
  let current = stored ?? restingSeries(rule.id, series);
  for (const event of events) {
    const { after, effects } = matched(current, event.accepted_at.getTime(), rule.holds);
    current = after;
    for (const effect of effects) {
      const before = acts.at(-1);
      if (effect === 'recover') acts.push({ kind: 'recover', ruleId: rule.id, fingerprint: series.fingerprint });
      else if (before?.kind === 'fire')
        acts[acts.length - 1] = { ...before, event, occurrences: before.occurrences + 1 };
      else acts.push({ kind: 'fire', hits, event, occurrences: 1 });
    }
  }
  return { acts, after: current };
}
