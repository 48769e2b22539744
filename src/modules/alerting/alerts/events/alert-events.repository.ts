import { Injectable } from '@nestjs/common';
import { type ProjectId, projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { parseExact, stringifyExact } from '../../../../platform/json/index.js';
import type { AlertState } from '../machine/alert-machine.js';
import { HELD_COLUMNS, MOMENT } from './alert-event-columns.js';
import { AlertEvent } from './alert-event.entity.js';
import { AlertEventNotFound } from '../alerts.errors.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

/** What an alert event goes by: its id is looked for among those of its project alone. */
export type AlertKey = Pick<AlertEvent, 'id' | 'projectId'>;

/** What begins an alert event, or happens to it once more. */
type Occurrence = Pick<
  AlertEvent,
  | 'id'
  | 'projectId'
  | 'alertRuleId'
  | 'ruleName'
  | 'fingerprint'
  | 'groupValues'
  | 'eventId'
  | 'eventAt'
  | 'eventType'
  | 'source'
  | 'sourceId'
  | 'lastEventId'
  | 'newestOccurrence'
  | 'severity'
  | 'message'
  | 'payload'
  | 'occurrences'
  | 'cooldownSeconds'
  | 'targets'
>;

/** A row under its lock, and what time it is for the database. */
export interface HeldAlert {
  readonly alert: AlertEvent;
  readonly now: Date;
}

type HeldRow = Omit<AlertEvent, 'payload' | 'newestOccurrence'> & {
  readonly payload: string;
  readonly newestOccurrence: string | null;
  readonly now: Date;
};

/** Something is due by time alone. */
const IS_DUE = 'snoozed_until <= statement_timestamp() OR notice_due_at <= statement_timestamp()';

/** Alert events under their row lock; what people look for is read elsewhere. */
@Injectable()
export class AlertEventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts the occurrence to the one unresolved alert event of its fingerprint, or begins a new one: decided by the unique
   * index, so that any number may come at once.
   */
  async occur(occurrence: Occurrence, tx: Db): Promise<HeldAlert & { readonly isNew: boolean }> {
    const { id, projectId, alertRuleId, ruleName, fingerprint, eventId, eventAt, eventType, source } = occurrence;
    const { sourceId, lastEventId, severity, message, occurrences, cooldownSeconds, groupValues, payload, targets } =
      occurrence;
    const { newestOccurrence: newest } = occurrence;
    const [row] = await this.database.rows<HeldRow>(
      `INSERT INTO alert_events AS a (id, project_id, alert_rule_id, rule_name, fingerprint, group_values, event_id,
         event_at, event_type, source, source_id, last_event_id, severity, message, payload, occurrences, cooldown_seconds, targets,
         newest_occurrence, created_at, changed_at, last_occurred_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, ${MOMENT}, ${MOMENT},
         ${MOMENT})
       ON CONFLICT (project_id, fingerprint) WHERE status <> 'resolved' DO UPDATE
       SET occurrences = a.occurrences + excluded.occurrences, cooldown_seconds = excluded.cooldown_seconds,
           targets = excluded.targets, last_event_id = coalesce(excluded.last_event_id, a.last_event_id),
           newest_occurrence = coalesce(excluded.newest_occurrence, json_build_object(
             'eventId', excluded.event_id, 'eventType', excluded.event_type, 'source', excluded.source,
             'sourceId', excluded.source_id, 'message', excluded.message, 'payload', excluded.payload)),
           changed_at = ${MOMENT}, last_occurred_at = ${MOMENT}
       RETURNING ${HELD_COLUMNS}, ${MOMENT} AS now`,
      [
        id,
        projectId,
        alertRuleId,
        ruleName,
        fingerprint,
        JSON.stringify(groupValues),
        eventId,
        eventAt,
        eventType,
        source,
        sourceId,
        lastEventId,
        severity,
        message,
        stringifyExact(payload),
        occurrences,
        cooldownSeconds,
        JSON.stringify(targets),
        newest === null ? null : stringifyExact(newest),
      ],
      tx,
    );
    return { ...held(row), isNew: row?.id === id };
  }

  /** Null: no alert event of the fingerprint is unresolved. Not locked. */
  async unresolvedOf({ projectId }: Tenant, fingerprint: string, db: Db): Promise<string | null> {
    const [row] = await this.database.rows<{ id: string }>(
      `SELECT id FROM alert_events WHERE project_id = $1 AND fingerprint = $2 AND status <> 'resolved'`,
      [projectId, fingerprint],
      db,
    );
    return row?.id ?? null;
  }

  /** When the episode before this one was last told of, while its cooldown lasts; taken over by this one. */
  async takeCooldown({ id, projectId, fingerprint, cooldownSeconds }: AlertEvent, tx: Db): Promise<Date | null> {
    const [row] = await this.database.rows<{ notifiedAt: Date }>(
      `UPDATE alert_events a SET notified_at = before.notified_at
       FROM (SELECT notified_at FROM alert_events WHERE project_id = $2 AND fingerprint = $3 AND id <> $1
             ORDER BY created_at DESC, id DESC LIMIT 1) before
       WHERE a.project_id = $2 AND a.id = $1 AND before.notified_at > clock_timestamp() - make_interval(secs => $4)
       RETURNING a.notified_at AS "notifiedAt"`,
      [id, projectId, fingerprint, cooldownSeconds],
      tx,
    );
    return row?.notifiedAt ?? null;
  }

  async lock(tenant: Tenant, id: string, tx: Db): Promise<HeldAlert | null> {
    return this.lockWhere(tenant, 'a.id = $2', [id], tx);
  }

  /** The unresolved one of a fingerprint. */
  async lockUnresolved(tenant: Tenant, fingerprint: string, tx: Db): Promise<HeldAlert | null> {
    return this.lockWhere(tenant, `a.fingerprint = $2 AND a.status <> 'resolved'`, [fingerprint], tx);
  }

  /**
   * Those that have something due by time alone: the oldest of every project, the projects taking turns.
   * @param share of one project
   */
  async due(without: readonly string[], share: number, limit: number): Promise<AlertKey[]> {
    return this.database.rows<AlertKey>(
      `SELECT id, project_id AS "projectId" FROM ( /* every tenant: those in turn */
         SELECT a.id, a.project_id, a.due_at, row_number() OVER (PARTITION BY a.project_id ORDER BY a.due_at, a.id) AS turn
         FROM (SELECT id, project_id, least(snoozed_until, notice_due_at) AS due_at FROM alert_events
               WHERE (${IS_DUE}) AND id <> ALL ($1::uuid[])) a
         JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL) d
       WHERE turn <= $2 ORDER BY turn, due_at, id LIMIT $3`,
      [without, share, limit],
    );
  }

  /** One that has something due; null: not any more, or somebody else is at it. */
  async lockDue({ id, projectId }: AlertKey, tx: Db): Promise<HeldAlert | null> {
    return this.lockWhere(
      { projectId },
      `a.id = (
         SELECT d.id FROM (
           SELECT id, project_id FROM alert_events WHERE project_id = $1 AND id = $2 AND (${IS_DUE})
           FOR NO KEY UPDATE SKIP LOCKED) d
         JOIN projects p ON p.id = d.project_id AND p.deleted_at IS NULL)`,
      [id],
      tx,
    );
  }

  async saveState({ id, projectId }: AlertKey, state: AlertState, tx: Db): Promise<void> {
    const { status, snoozedUntil, acknowledgedAt, resolvedAt } = state;
    await this.database.execute(
      `UPDATE alert_events
       SET status = $2, snoozed_until = $3, acknowledged_at = $4, resolved_at = $5, changed_at = ${MOMENT},
           first_acknowledged_at = coalesce(first_acknowledged_at, $4),
           notice_due_at = CASE WHEN $2 = 'resolved' THEN NULL ELSE notice_due_at END
       WHERE project_id = $6 AND id = $1`,
      [id, status, snoozedUntil, acknowledgedAt, resolvedAt, projectId],
      tx,
    );
  }

  async assign({ id, projectId }: AlertKey, assigneeId: string | null, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_events SET assignee_id = $3, changed_at = ${MOMENT} WHERE project_id = $1 AND id = $2`,
      [projectId, id, assigneeId],
      tx,
    );
  }

  /** Everything that has occurred is told. */
  async markTold({ id, projectId }: AlertKey, at: Date, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_events
       SET notified_at = $3, told_occurrences = occurrences, notice_due_at = NULL, is_resolve_told = false
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, at],
      tx,
    );
  }

  /** Nobody is told of what has occurred so far, nor of the end of what nobody was told of. */
  async passOver({ id, projectId }: AlertKey, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_events
       SET told_occurrences = occurrences, notice_due_at = NULL,
           is_resolve_told = is_resolve_told OR told_occurrences = 0
       WHERE project_id = $1 AND id = $2`,
      [projectId, id],
      tx,
    );
  }

  async markResolveTold({ id, projectId }: AlertKey, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE alert_events SET is_resolve_told = true, notice_due_at = NULL WHERE project_id = $1 AND id = $2',
      [projectId, id],
      tx,
    );
  }

  async holdUntil({ id, projectId }: AlertKey, until: Date | null, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE alert_events SET notice_due_at = $3 WHERE project_id = $1 AND id = $2',
      [projectId, id, until],
      tx,
    );
  }

  /**
   * What is held back of the project is looked at again, since other silences hold now. What somebody else is at is passed
   * over, so that nobody waits in a circle; it is looked at again by itself.
   */
  async reconsider({ projectId }: Tenant, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_events SET notice_due_at = clock_timestamp() WHERE id IN (
         SELECT id FROM alert_events WHERE project_id = $1 AND notice_due_at > clock_timestamp()
         FOR NO KEY UPDATE SKIP LOCKED)`,
      [projectId],
      tx,
    );
  }

  /** Those of the rules that have an unresolved alert event. */
  async withUnresolved({ projectId }: Tenant, ruleIds: readonly string[], db?: Db): Promise<string[]> {
    if (ruleIds.length === 0) return [];
    const rows = await this.database.rows<{ id: string }>(
      `SELECT r.id FROM unnest($2::uuid[]) AS r (id)
       WHERE EXISTS (SELECT 1 FROM alert_events a
                     WHERE a.project_id = $1 AND a.alert_rule_id = r.id AND a.status <> 'resolved')`,
      [projectId, ruleIds],
      db,
    );
    return rows.map(({ id }) => id);
  }

  /** @returns how many rows were removed */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    const entries = await this.database.execute(
      'DELETE FROM alert_timeline WHERE position IN (SELECT position FROM alert_timeline WHERE project_id = $1 LIMIT $2)',
      [projectId, limit],
    );
    if (entries === limit) return limit;
    const alerts = await this.database.execute(
      'DELETE FROM alert_events WHERE id IN (SELECT id FROM alert_events WHERE project_id = $1 LIMIT $2)',
      [projectId, limit - entries],
    );
    return entries + alerts;
  }

  /** @param where of the project's, which is `$1` */
  private async lockWhere(
    { projectId }: Tenant,
    where: string,
    parameters: readonly unknown[],
    tx: Db,
  ): Promise<HeldAlert | null> {
    const [row] = await this.database.rows<HeldRow>(
      `SELECT ${HELD_COLUMNS}, ${MOMENT} AS now FROM alert_events a
       WHERE a.project_id = $1 AND ${where} FOR NO KEY UPDATE OF a`,
      [projectId, ...parameters],
      tx,
    );
    return row === undefined ? null : held(row);
  }
}

function held(row: HeldRow | undefined): HeldAlert {
  if (row === undefined) throw new Error('An upsert gives a row');
  const { now, payload: payloadText, newestOccurrence: newest, ...alert } = row;
  const payload = parseExact(payloadText) as AlertEvent['payload'];
  const newestOccurrence = newest === null ? null : (parseExact(newest) as AlertEvent['newestOccurrence']);
  return { alert: { ...alert, payload, newestOccurrence }, now };
}

export class ProjectOfAlertEvent extends projectOf('alert_event_id', AlertEvent, AlertEventNotFound) {}
