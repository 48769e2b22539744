import { Injectable } from '@nestjs/common';
import { type ProjectId, projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Traceparent } from '../../../../platform/telemetry/index.js';
import { parseExact, stringifyExact } from '../../../../platform/json/index.js';
import type { AlertState } from '../machine/alert-machine.js';
import { HELD_COLUMNS, MOMENT } from './alert-event-columns.js';
import { AlertEvent } from './alert-event.entity.js';
import { AlertEventNotFound } from '../alerts.errors.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

/** Identifies an alert event. Every statement also restricts the id to its project. */
export type AlertKey = Pick<AlertEvent, 'id' | 'projectId'>;

/** The first occurrence of an alert event, or further ones. */
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
  | 'eventMessage'
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
> & { readonly traceparent: Traceparent | null };

/** A locked row, and the time of the database clock. */
export interface HeldAlert {
  readonly alert: AlertEvent;
  readonly now: Date;
}

type HeldRow = Omit<AlertEvent, 'payload' | 'newestOccurrence'> & {
  readonly payload: string;
  readonly newestOccurrence: string | null;
  readonly now: Date;
};

/** SQL for whether a snooze has expired, or a suppressed notification is to be evaluated again. */
const IS_DUE = 'snoozed_until <= statement_timestamp() OR notice_due_at <= statement_timestamp()';

/** Reads and writes alert events under their row lock. `AlertReadsRepository` reads them for people. */
@Injectable()
export class AlertEventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds the occurrences to the unresolved alert event of the fingerprint, or inserts a new one. The unique index
   * decides which, so any number of calls may run at once.
   */
  async occur(occurrence: Occurrence, tx: Db): Promise<HeldAlert & { readonly isNew: boolean }> {
    const { id, projectId, alertRuleId, ruleName, fingerprint, eventId, eventAt, eventType, source } = occurrence;
    const { sourceId, lastEventId, severity, message, occurrences, cooldownSeconds, groupValues, payload, targets } =
      occurrence;
    const { newestOccurrence: newest, traceparent, eventMessage } = occurrence;
    const [row] = await this.database.rows<HeldRow>(
      `INSERT INTO alert_events AS a (id, project_id, alert_rule_id, rule_name, fingerprint, group_values, event_id,
         event_at, event_type, source, source_id, last_event_id, severity, message, payload, occurrences, cooldown_seconds, targets,
         newest_occurrence, traceparent, event_message, created_at, changed_at, last_occurred_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
         coalesce($20::text, (SELECT t.traceparent FROM event_traces t WHERE t.project_id = $2::uuid AND t.event_id = coalesce($12::uuid, $7::uuid))),
         $21, ${MOMENT}, ${MOMENT}, ${MOMENT})
       ON CONFLICT (project_id, fingerprint) WHERE status <> 'resolved' DO UPDATE
       SET occurrences = a.occurrences + excluded.occurrences, cooldown_seconds = excluded.cooldown_seconds,
           targets = excluded.targets, traceparent = excluded.traceparent, last_event_id = coalesce(excluded.last_event_id, a.last_event_id),
           newest_occurrence = coalesce(excluded.newest_occurrence, json_build_object(
             'eventId', excluded.event_id, 'eventType', excluded.event_type, 'source', excluded.source,
             'sourceId', excluded.source_id, 'eventAt', excluded.event_at, 'eventMessage', excluded.event_message, 'message', excluded.message, 'payload', excluded.payload)),
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
        traceparent,
        eventMessage,
      ],
      tx,
    );
    return { ...held(row), isNew: row?.id === id };
  }

  /** Returns the id of the unresolved alert event of a fingerprint, without a lock; null: there is none. */
  async unresolvedOf({ projectId }: Tenant, fingerprint: string, db: Db): Promise<string | null> {
    const [row] = await this.database.rows<{ id: string }>(
      `SELECT id FROM alert_events WHERE project_id = $1 AND fingerprint = $2 AND status <> 'resolved'`,
      [projectId, fingerprint],
      db,
    );
    return row?.id ?? null;
  }

  /**
   * Copies the time of the last notification from the previous episode.
   * @returns that time; null when its cooldown is over
   */
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

  /** Locks the unresolved alert event of a fingerprint. */
  async lockUnresolved(tenant: Tenant, fingerprint: string, tx: Db): Promise<HeldAlert | null> {
    return this.lockWhere(tenant, `a.fingerprint = $2 AND a.status <> 'resolved'`, [fingerprint], tx);
  }

  /**
   * Returns alert events with an expired snooze or a notification to evaluate again: the oldest of every project first,
   * round robin over projects.
   * @param without ids to leave out
   * @param share the maximum number of alert events of one project
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

  /** Locks an alert event that is due; null: it is no longer due, or another transaction has locked it. */
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

  /** Marks all occurrences so far as notified. */
  async markTold({ id, projectId }: AlertKey, at: Date, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_events
       SET notified_at = $3, told_occurrences = occurrences, notice_due_at = NULL, is_resolve_told = false
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, at],
      tx,
    );
  }

  /** Suppresses notifications for occurrences so far, and for the resolution of an alert that was never notified. */
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

  async suppressUntil({ id, projectId }: AlertKey, until: Date | null, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE alert_events SET notice_due_at = $3 WHERE project_id = $1 AND id = $2',
      [projectId, id, until],
      tx,
    );
  }

  /**
   * Schedules the suppressed notifications of the project to be evaluated again at once. Callers do so when silences
   * have changed. Rows that another transaction has locked are skipped, which avoids deadlocks. They are evaluated when
   * their suppression ends.
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

  /** Returns the ids of the given rules that have an unresolved alert event. */
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

  /** @returns how many rows were deleted, including timeline entries */
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

  /** @param where a condition on `alert_events a`, in addition to that on the project, `$1` */
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
