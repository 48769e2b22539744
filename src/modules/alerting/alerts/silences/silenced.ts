import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Breath } from '../../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { CONDITION_SQL } from '../../../events/fields/index.js';
import {
  compileFilter,
  EVENT_FIELDS,
  FilterRun,
  FilterTooCostly,
  type FilterSubject,
  type Matcher,
  pathOfProperty,
  storedFilter,
  type Vocabulary,
} from '../../conditions/index.js';
import type { AlertEvent } from '../events/alert-event.entity.js';
import { type ActiveSilence, SilencesRepository } from './silences.repository.js';

/** What silences may ask of an alert event: what conditions ask of events, and what an alert event has beside it. */
export const SILENCE_FIELDS = {
  ...EVENT_FIELDS,
  alert_rule_id: 'text',
  rule_name: 'text',
  fingerprint: 'text',
} as const satisfies Vocabulary;

/** What an alert event has of its own, whatever its event says. */
const OWN: readonly string[] = ['event', 'source', 'severity', 'message'];
const ASKED_OF_EVENTS = Object.entries(CONDITION_SQL)
  .filter(([name]) => !OWN.includes(name))
  .map(([name, sql]) => `${sql} AS "${name}"`)
  .join(', ');

type EventRow = Readonly<Record<string, string | number | null>> & { readonly properties: Record<string, unknown> };

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

/** Null: the filter is no longer accepted. */
interface Kept {
  readonly revision: number;
  readonly matches: Matcher | null;
}

/** Tells whether nobody is to hear of an alert event for now. */
@Injectable()
export class Silenced {
  private readonly logger = new Logger('alerts');
  private readonly kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  /** Steps that transactions have left. */
  private readonly left = new WeakMap<Db, number>();

  constructor(
    private readonly database: Database,
    private readonly silences: SilencesRepository,
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
    const subject = subjectOf(alert, await this.eventOf(alert, db));
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

  /** The event that began it, read only where there are silences to ask; null: none did, or it is gone. */
  private async eventOf({ projectId, eventId, eventAt }: AlertEvent, db: Db): Promise<EventRow | null> {
    if (eventId === null || eventAt === null) return null;
    const [row] = await this.database.rows<EventRow>(
      `SELECT ${ASKED_OF_EVENTS}, e.properties FROM events e
       WHERE project_id = $1 AND id = $2 AND "timestamp" >= $3 AND "timestamp" < $3 + interval '1 millisecond'`,
      [projectId, eventId, eventAt],
      db,
    );
    return row ?? null;
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
    const breath = new Breath();
    for (const { id, revision, filter } of await this.silences.filtersOf({ projectId }, unknown, db)) {
      const kept = { revision, matches: this.compiled(projectId, id, filter) };
      known.set(id, kept);
      this.kept.set(id, kept);
      await breath.take();
    }
    return known;
  }

  private compiled(projectId: string, id: string, filter: unknown): Matcher | null {
    try {
      return compileFilter(storedFilter(filter, SILENCE_FIELDS), projectId);
    } catch (error) {
      this.logger.error(`silence ${id} is no longer accepted and holds nothing back: ${String(error)}`);
      return null;
    }
  }
}

/** Group values stand for what no event tells. What the alert event has of its own wins. */
function subjectOf(alert: AlertEvent, event: EventRow | null): FilterSubject {
  const { properties: ofEvent, ...columns } = event ?? { properties: {} };
  const fields: Record<string, string | number | null> = { ...columns };
  const properties: Record<string, unknown> = { ...alert.payload, ...ofEvent };
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
