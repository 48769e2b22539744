import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import {
  compileFilter,
  EVENT_FIELDS,
  type FilterSubject,
  type Matcher,
  pathOfProperty,
  storedFilter,
  type Vocabulary,
} from '../../alert-conditions/index.js';
import type { AlertEvent } from '../events/alert-event.entity.js';
import { type ReadSilence, SilencesRepository } from './silences.repository.js';

/** What silences may ask of an alert event: what conditions ask of events, and what an alert event has beside it. */
export const SILENCE_FIELDS = {
  ...EVENT_FIELDS,
  alert_rule_id: 'text',
  rule_name: 'text',
  fingerprint: 'text',
} as const satisfies Vocabulary;

type EventRow = Readonly<Record<string, string | number | null>> & { readonly properties: Record<string, unknown> };

const MAX_KEPT = 1_000;

/** Tells whether nobody is to hear of an alert event for now. */
@Injectable()
export class Silenced {
  private readonly kept = new Map<string, { revision: number; matches: Matcher }>();

  constructor(
    private readonly database: Database,
    private readonly silences: SilencesRepository,
  ) {}

  /** When the last of the silences ends that match now; null: none does. */
  async until(alert: AlertEvent, db: Db): Promise<Date | null> {
    const active = await this.silences.activeOf(alert, db);
    if (active.length === 0) return null;
    const subject = subjectOf(alert, await this.eventOf(alert, db));
    const ends = active.filter((silence) => this.matcherOf(silence)(subject)).map(({ endsAt }) => endsAt.getTime());
    return ends.length === 0 ? null : new Date(Math.max(...ends));
  }

  /** The event that began it, read only where there are silences to ask; null: none did, or it is gone. */
  private async eventOf({ projectId, eventId, eventAt }: AlertEvent, db: Db): Promise<EventRow | null> {
    if (eventId === null || eventAt === null) return null;
    const [row] = await this.database.rows<EventRow>(
      `SELECT source_id, status, environment, external_event_id, log_method AS "log.method",
              log_endpoint AS "log.endpoint", log_status AS "log.status",
              CASE WHEN log_has_latency THEN log_latency_ms END AS "log.latency_ms", properties
       FROM events WHERE project_id = $1 AND id = $2 AND "timestamp" >= $3 AND "timestamp" < $3 + interval '1 millisecond'`,
      [projectId, eventId, eventAt],
      db,
    );
    return row ?? null;
  }

  private matcherOf({ id, revision, filter }: ReadSilence): Matcher {
    const known = this.kept.get(id);
    if (known?.revision === revision) return known.matches;
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    const matches = compileFilter(storedFilter(filter, SILENCE_FIELDS));
    this.kept.set(id, { revision, matches });
    return matches;
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
