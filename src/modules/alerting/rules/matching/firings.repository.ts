import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { GroupValue } from '../../../events/event-store/index.js';
import type { Act } from './match-batch.js';

/** The result of matching events, from which an alert is raised or recovers. */
export interface Firing {
  readonly ruleId: string;
  readonly kind: 'fire' | 'recover';
  readonly fingerprint: string;
  readonly groupValues: Readonly<Record<string, GroupValue>>;
  /**
   * The first event, with which an alert event begins. Null for `recover`, like `eventAt`, `lastEventId` and
   * `lastEventAt`.
   */
  readonly eventId: string | null;
  /** The timestamp of the first event, as text of the database. */
  readonly eventAt: string | null;
  /** The last event, which notifications report. */
  readonly lastEventId: string | null;
  /** The timestamp of the last event. Null also in rows that the previous version of the service wrote. */
  readonly lastEventAt: string | null;
  readonly occurrences: number;
  readonly acceptedAt: Date;
}

export interface WaitingFiring extends Firing {
  readonly position: string;
}

export function firingOf(act: Act): Firing {
  const { rule, series } = act.hits;
  const { fingerprint, groupValues } = series;
  const of = { ruleId: rule.id, kind: act.kind, fingerprint, groupValues };
  if (act.kind === 'recover') {
    const none = { eventId: null, eventAt: null, lastEventId: null, lastEventAt: null, occurrences: 0 };
    return { ...of, ...none, acceptedAt: act.at.acceptedAt };
  }
  const { first, last, occurrences } = act;
  const { id: eventId, timestamp: eventAt, acceptedAt } = first;
  return { ...of, eventId, eventAt, lastEventId: last.id, lastEventAt: last.timestamp, occurrences, acceptedAt };
}

/** Stores firings until they are raised, in the order in which they occurred. */
@Injectable()
export class FiringsRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, firings: readonly Firing[], tx: Db): Promise<void> {
    if (firings.length === 0) return;
    const rows = firings.map((one) => ({
      rule_id: one.ruleId,
      kind: one.kind,
      fingerprint: one.fingerprint,
      group_values: one.groupValues,
      event_id: one.eventId,
      event_at: one.eventAt,
      last_event_id: one.lastEventId,
      last_event_at: one.lastEventAt,
      occurrences: one.occurrences,
      accepted_at: one.acceptedAt,
    }));
    await this.database.execute(
      `INSERT INTO alert_rule_firings
         (project_id, rule_id, kind, fingerprint, group_values, event_id, event_at, last_event_id,
          last_event_at, occurrences, accepted_at)
       SELECT $1, rule_id, kind, fingerprint, group_values, event_id, event_at, last_event_id, last_event_at, occurrences,
              accepted_at
       FROM ROWS FROM (json_to_recordset($2::json) AS (
         rule_id uuid, kind text, fingerprint text, group_values json, event_id uuid, event_at timestamptz,
         last_event_id uuid, last_event_at timestamptz, occurrences integer, accepted_at timestamptz)) WITH ORDINALITY
       ORDER BY ordinality`,
      [projectId, JSON.stringify(rows)],
      tx,
    );
  }

  first(projectId: string, limit: number, tx: Db): Promise<WaitingFiring[]> {
    // `f.position` is a number. `position` alone would be the text that the statement selects, in which 10 precedes 9.
    return this.database.rows<WaitingFiring>(
      `SELECT f.position::text, f.rule_id AS "ruleId", f.kind, f.fingerprint, f.group_values AS "groupValues",
              f.event_id AS "eventId", to_json(f.event_at) #>> '{}' AS "eventAt", f.last_event_id AS "lastEventId",
              to_json(f.last_event_at) #>> '{}' AS "lastEventAt", f.occurrences,
              f.accepted_at AS "acceptedAt"
       FROM alert_rule_firings f WHERE f.project_id = $1 ORDER BY f.position LIMIT $2`,
      [projectId, limit],
      tx,
    );
  }

  async remove(projectId: ProjectId, positions: readonly string[], tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM alert_rule_firings WHERE project_id = $1 AND position = ANY ($2::bigint[])',
      [projectId, positions],
      tx,
    );
  }

  /**
   * Runs work in a savepoint, so that a failure does not end the transaction. The writes of work that fails are undone.
   * @param mayBe returns whether an error is expected; any other error is thrown
   * @returns the expected error; null when the work succeeded
   */
  async attempt(
    work: () => Promise<void>,
    mayBe: (error: unknown) => boolean,
    tx: Db,
  ): Promise<{ readonly error: unknown } | null> {
    await this.database.execute('SAVEPOINT attempt', [], tx);
    try {
      await work();
      await this.database.execute('RELEASE SAVEPOINT attempt', [], tx);
      return null;
    } catch (error) {
      if (!mayBe(error)) throw error;
      await this.database.execute('ROLLBACK TO SAVEPOINT attempt', [], tx);
      return { error };
    }
  }
}
