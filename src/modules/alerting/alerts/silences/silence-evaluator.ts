import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import {
  compileFilter,
  EVENT_FIELDS,
  fieldsOf,
  FilterRun,
  FilterTooCostly,
  filterVocabulary,
  type FilterSubject,
  type Matcher,
  pathOfProperty,
  storedFilter,
  type Vocabulary,
} from '../../../events/conditions/index.js';
import type { AlertEvent } from '../events/alert-event.entity.js';
import { EventSubjectsReader } from '../../../events/event-store/index.js';
import { type ActiveSilence, SilencesRepository } from './silences.repository.js';

/** The fields that filters of silences can use: those of events, and some of the alert event itself. */
export const SILENCE_FIELDS = {
  ...EVENT_FIELDS,
  alert_rule_id: 'text',
  rule_name: 'text',
  fingerprint: 'text',
} as const satisfies Vocabulary;

/** The vocabulary of {@link SILENCE_FIELDS} for filters in requests. */
export const SILENCE_VOCABULARY = filterVocabulary('Silence', SILENCE_FIELDS);

const MAX_KEPT = 1_000;
/**
 * The maximum number of steps for all silences in one transaction, regardless of the number of alert events. They take
 * about a quarter of a second.
 */
const MOST_STEPS = 100_000_000;

/** Whether silences suppress the notification of an alert event now. */
export type Silencing =
  /** `until` is the end of the matching silence that ends last. */
  | { readonly kind: 'silenced'; readonly until: Date }
  | { readonly kind: 'heard'; readonly areAllAsked: boolean }
  /** Not decided: other alert events have used up the steps of the transaction. */
  | { readonly kind: 'later' };

const ALL_HEARD: Silencing = { kind: 'heard', areAllAsked: true };

interface Kept {
  readonly revision: number;
  /** Null: the filter is no longer accepted. */
  readonly matches: Matcher | null;
  /** The fields of the event that the filter reads. */
  readonly fields: readonly string[];
}

/** The fields that are read from the alert event, not from its event. */
const OF_THE_ALERT: ReadonlySet<string> = new Set([
  'event',
  'source',
  'severity',
  'message',
  'alert_rule_id',
  'rule_name',
  'fingerprint',
]);

/** Decides whether silences suppress the notification of an alert event. */
@Injectable()
export class SilenceEvaluator {
  private readonly logger = new Logger('alerts');
  private readonly kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  /** The steps that silences may still take in each transaction. */
  private readonly left = new WeakMap<Db, number>();

  constructor(
    private readonly silences: SilencesRepository,
    private readonly events: EventSubjectsReader,
  ) {}

  /**
   * Evaluates the active silences of the project. A silence that cannot be evaluated suppresses nothing: one
   * notification too many does less harm than a missing one. The same holds for the remaining silences when one alert
   * event has used up all steps of a transaction. When other alert events have used some of these steps, the result is
   * `later`: the alert event must be evaluated again in a separate transaction.
   * @param db a transaction
   */
  async of(alert: AlertEvent, db: Db): Promise<Silencing> {
    const active = await this.silences.activeOf(alert, db);
    if (active.length === 0) return ALL_HEARD;
    const before = this.left.get(db) ?? MOST_STEPS;
    if (before <= 0) return { kind: 'later' };
    const known = await this.learn(alert, active, db);
    const subject = subjectOf(alert, await this.eventOf(alert, known.values(), db));
    const filters = new FilterRun();
    let left = before;
    // The silences are sorted by their end, the last one first: the first match ends last.
    for (const { id, endsAt } of active) {
      const matches = known.get(id)?.matches ?? null;
      if (matches === null) continue;
      const fits = await this.fits(id, filters, matches, subject, left);
      left -= filters.steps;
      this.left.set(db, left);
      if (fits) return { kind: 'silenced', until: endsAt };
      if (left > 0) continue;
      if (before < MOST_STEPS) return { kind: 'later' };
      this.logger.warn(`the silences of project ${alert.projectId} take too long: not all of them were asked`);
      return { kind: 'heard', areAllAsked: false };
    }
    return ALL_HEARD;
  }

  private async fits(
    id: string,
    filters: FilterRun,
    matches: Matcher,
    subject: FilterSubject,
    left: number,
  ): Promise<boolean> {
    try {
      return await filters.fits(matches, subject, left);
    } catch (error) {
      // A filter that needs more than the remaining steps throws after it has used them all. The caller sees that none
      // are left.
      if (!(error instanceof FilterTooCostly)) {
        this.logger.error(`silence ${id} cannot be asked and holds nothing back: ${String(error)}`);
      }
      return false;
    }
  }

  /** Returns the fields of the event that silences read; null when they read none, or the event does not exist. */
  private async eventOf(alert: AlertEvent, known: Iterable<Kept>, db: Db): Promise<FilterSubject | null> {
    const { projectId, eventId, eventAt } = alert;
    const fields = [...new Set([...known].flatMap((kept) => kept.fields))];
    if (eventId === null || eventAt === null || fields.length === 0) return null;
    return this.events.of({ projectId }, { id: eventId, timestamp: eventAt }, fields, db);
  }

  /** Returns compiled filters by silence. Reads and compiles those that are not cached in their current revision. */
  private async learn(
    { projectId }: AlertEvent,
    active: readonly ActiveSilence[],
    db: Db,
  ): Promise<ReadonlyMap<string, Kept>> {
    const known = new Map<string, Kept>();
    const unknown: string[] = [];
    for (const { id, revision } of active) {
      const kept = this.kept.get(id);
      if (kept?.revision === revision) known.set(id, kept);
      else unknown.push(id);
    }
    if (unknown.length === 0) return known;
    const yielding = new EventLoopYield();
    for (const { id, revision, filter } of await this.silences.filtersOf({ projectId }, unknown, db)) {
      const kept = { revision, ...this.compiled(projectId, id, filter) };
      known.set(id, kept);
      this.kept.set(id, kept);
      await yielding.ifDue();
    }
    return known;
  }

  private compiled(projectId: string, id: string, filter: unknown): Pick<Kept, 'matches' | 'fields'> {
    try {
      const read = storedFilter(filter, SILENCE_FIELDS);
      const fields = fieldsOf(read).filter((field) => !OF_THE_ALERT.has(field));
      return { matches: compileFilter(read, projectId), fields };
    } catch (error) {
      this.logger.error(`silence ${id} is no longer accepted and holds nothing back: ${String(error)}`);
      return { matches: null, fields: [] };
    }
  }
}

/**
 * Returns the fields and properties that filters match against. Group values fill in what the event lacks. Fields of
 * the alert event take precedence.
 */
function subjectOf(alert: AlertEvent, event: FilterSubject | null): FilterSubject {
  const fields: Record<string, unknown> = { ...event?.fields };
  const properties: Record<string, unknown> = { ...alert.payload, ...event?.properties };
  for (const [field, value] of Object.entries(alert.groupValues)) {
    const path = pathOfProperty(field);
    if (path !== null) properties[path.join('.')] ??= value;
    else if (typeof value !== 'boolean') fields[field] ??= value;
  }
  return {
    fields: {
      ...fields,
      ...(alert.eventType !== null && { event: alert.eventType }),
      ...(alert.source !== null && { source: alert.source }),
      severity: alert.severity,
      message: alert.message,
      alert_rule_id: alert.alertRuleId,
      rule_name: alert.ruleName,
      fingerprint: alert.fingerprint,
    },
    properties,
  };
}
