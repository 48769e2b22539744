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

/** What silences may ask of an alert event: what conditions ask of events, and what an alert event has beside it. */
export const SILENCE_FIELDS = {
  ...EVENT_FIELDS,
  alert_rule_id: 'text',
  rule_name: 'text',
  fingerprint: 'text',
} as const satisfies Vocabulary;

/** The same as what filters of silences are made of. */
export const SILENCE_VOCABULARY = filterVocabulary('Silence', SILENCE_FIELDS);

const MAX_KEPT = 1_000;
/** All silences may take so many steps in one transaction, a quarter of a second or so, however many alert events it has. */
const MOST_STEPS = 100_000_000;

/** What silences say of an alert event now. */
export type Silencing =
  /** Until the last of those ends that fit. */
  | { readonly kind: 'silenced'; readonly until: Date }
  | { readonly kind: 'heard'; readonly areAllAsked: boolean }
  /** Nothing yet: those of other alert events took what the transaction had for them. */
  | { readonly kind: 'later' };

const ALL_HEARD: Silencing = { kind: 'heard', areAllAsked: true };

interface Kept {
  readonly revision: number;
  /** Null: the filter is no longer accepted. */
  readonly matches: Matcher | null;
  /** What it looks at of the event. */
  readonly fields: readonly string[];
}

/** What an alert event has of its own, whatever its event says. */
const OF_THE_ALERT: ReadonlySet<string> = new Set([
  'event',
  'source',
  'severity',
  'message',
  'alert_rule_id',
  'rule_name',
  'fingerprint',
]);

/** Tells whether nobody is to hear of an alert event for now. */
@Injectable()
export class SilenceEvaluator {
  private readonly logger = new Logger('alerts');
  private readonly kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  /** Steps that transactions have left. */
  private readonly left = new WeakMap<Db, number>();

  constructor(
    private readonly silences: SilencesRepository,
    private readonly events: EventSubjectsReader,
  ) {}

  /**
   * One that cannot be asked holds nothing back: an alert too many does less harm than one nobody hears of. So it is with
   * those that come after the steps of a transaction are used up by one alert event; of another one, it says nothing yet:
   * that is to be looked at again in a transaction of its own.
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
    // The first that fits is the one that ends last.
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
      // What is left is not enough for it: whoever asks sees that.
      if (!(error instanceof FilterTooCostly)) {
        this.logger.error(`silence ${id} cannot be asked and holds nothing back: ${String(error)}`);
      }
      return false;
    }
  }

  /** What the silences look at of the event that began it; null: nothing, none did, or it is gone. */
  private async eventOf(alert: AlertEvent, known: Iterable<Kept>, db: Db): Promise<FilterSubject | null> {
    const { projectId, eventId, eventAt } = alert;
    const fields = [...new Set([...known].flatMap((kept) => kept.fields))];
    if (eventId === null || eventAt === null || fields.length === 0) return null;
    return this.events.of({ projectId }, { id: eventId, timestamp: eventAt }, fields, db);
  }

  /** Reads and compiles the filters that are not known as they are now. */
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

/** Group values stand for what no event tells. What the alert event has of its own wins. */
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
