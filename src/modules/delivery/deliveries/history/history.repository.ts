import { Injectable } from '@nestjs/common';
import { type ProjectId, type ProjectScope, thingOfProject } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { DeliveryAttempt } from '../attempts/attempt.entity.js';
import { AttemptNotFound } from '../delivery.errors.js';
import type { RetryAudit } from '../attempts/retry-audit.entity.js';
import type { AttemptDetailView, AttemptView } from './attempt-view.js';
import type { HistoryQuery, RetryAuditsQuery } from './history.dto.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export interface HistoryPage<T> {
  readonly items: T[];
  readonly total: number;
}

const IS_DUE = `(a.retry_state = 'scheduled_retry' AND a.due_at <= now() AND a.claim_token IS NULL)`;

const COLUMNS = `a.id, a.project_id AS "projectId", a.channel_id AS "channelId", a.kind, a.status,
         a.retry_state AS "retryState", a.due_at AS "dueAt", coalesce(${IS_DUE}, false) AS "isDue",
         a.claim_kind AS "claimKind", a.retry_count AS "retryCount", a.try_number AS "tryNumber",
         a.event_id AS "eventId", a.rule_id AS "ruleId", a.source_id AS "sourceId", a.evaluation_id AS "evaluationId",
         a.parent_attempt_id AS "parentAttemptId", a.recovery, child.id AS "recoveredById",
         child.recovery AS "recoveredBy", a.response_code AS "responseCode", a.response_summary AS "responseSummary",
         a.failure_code AS "failureCode", a.failure_reason AS "failureReason",
         a.request_metadata AS "requestMetadata", a.response_metadata AS "responseMetadata",
         a.created_at AS "createdAt", a.completed_at AS "completedAt", a.terminal_at AS "terminalAt", a.dlq_at AS "dlqAt",
         CASE WHEN ch.id IS NOT NULL THEN json_build_object(
           'name', ch.name, 'type', ch.type, 'enabled', ch.enabled, 'configuration', ch.configuration) END AS channel`;

const JOINED = `
  FROM delivery_attempts a
  LEFT JOIN delivery_channels ch ON ch.id = a.channel_id
  LEFT JOIN delivery_attempts child ON child.parent_attempt_id = a.id`;

const VIEW = `SELECT ${COLUMNS} ${JOINED}`;

const AUDIT = `
  SELECT id, project_id AS "projectId", attempt_id AS "attemptId", claim_token AS "claimToken", claim_kind AS "claimKind",
         retry_number AS "retryNumber", worker_id AS "workerId", status, started_at AS "startedAt",
         finished_at AS "finishedAt", response_code AS "responseCode", response_summary AS "responseSummary", reason
  FROM delivery_retry_audits`;

/** SQL conditions with numbered parameters, of which `$1` is the project. */
class Conditions {
  readonly values: unknown[];
  private readonly parts: string[] = [];

  constructor(projectId: ProjectId) {
    this.values = [projectId];
  }

  /** Adds a condition in which `?` stands for the value; adds nothing when the value is undefined. */
  add(sql: string, value: unknown): void {
    if (value === undefined) return;
    this.values.push(value);
    this.parts.push(sql.replace('?', `$${this.values.length}`));
  }

  addPlain(sql: string): void {
    this.parts.push(sql);
  }

  /** The conditions as SQL that follows the condition on the project. */
  get further(): string {
    return this.parts.map((part) => ` AND ${part}`).join('');
  }
}

/** Reads the evidence of attempts, never the notifications from which requests are built. */
@Injectable()
export class HistoryRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page of attempts, newest first. */
  async list({ projectId }: Tenant, query: HistoryQuery): Promise<HistoryPage<AttemptView>> {
    const conditions = new Conditions(projectId);
    conditions.add('a.status = ?', query.status);
    conditions.add('a.channel_id = ?', query.channel_id);
    conditions.add('a.kind = ?', query.kind);
    conditions.add('ch.type = ?', query.channel_type);
    conditions.add('a.created_at >= ?', query.from_ts);
    conditions.add('a.created_at < ?', query.to_ts);
    conditions.add(`(a.retry_state IS NOT DISTINCT FROM 'dlq') = ?`, query.dlq);
    conditions.add(`(a.retry_state IS NOT DISTINCT FROM 'scheduled_retry') = ?`, query.retryable);
    if (query.retry_state === 'retryable') conditions.addPlain(IS_DUE);
    else conditions.add('a.retry_state = ?', query.retry_state);
    if (query.retry_state === 'scheduled_retry') conditions.addPlain(`NOT ${IS_DUE}`);
    const { further, values } = conditions;
    const [items, total] = await Promise.all([
      this.database.rows<AttemptView>(
        `${VIEW} WHERE a.project_id = $1${further} ORDER BY a.created_at DESC, a.id DESC
         LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
        [...values, query.limit, query.offset],
      ),
      this.count(
        `delivery_attempts a${query.channel_type === undefined ? '' : ' JOIN delivery_channels ch ON ch.id = a.channel_id'}`,
        conditions,
      ),
    ]);
    return { items, total };
  }

  async find({ projectId }: Tenant, id: string, db?: Db): Promise<AttemptView | null> {
    const rows = await this.database.rows<AttemptView>(
      `${VIEW} WHERE a.project_id = $1 AND a.id = $2`,
      [projectId, id],
      db,
    );
    return rows[0] ?? null;
  }

  async findDetail({ projectId }: Tenant, id: string): Promise<AttemptDetailView | null> {
    const rows = await this.database.rows<AttemptDetailView>(
      `SELECT ${COLUMNS}, a.sent_request AS "sentRequest" ${JOINED} WHERE a.project_id = $1 AND a.id = $2`,
      [projectId, id],
    );
    return rows[0] ?? null;
  }

  /** Returns a page of retry audits, newest first. */
  async audits({ projectId }: Tenant, query: RetryAuditsQuery): Promise<HistoryPage<RetryAudit>> {
    const conditions = new Conditions(projectId);
    conditions.add('attempt_id = ?', query.delivery_id);
    conditions.add('status = ?', query.status);
    conditions.add('worker_id = ?', query.worker_id);
    const { further, values } = conditions;
    const [items, total] = await Promise.all([
      this.database.rows<RetryAudit>(
        `${AUDIT} WHERE project_id = $1${further} ORDER BY started_at DESC, id DESC
         LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
        [...values, query.limit, query.offset],
      ),
      this.count('delivery_retry_audits a', conditions),
    ]);
    return { items, total };
  }

  async auditOfClaim({ projectId }: Tenant, attemptId: string, token: string): Promise<RetryAudit | null> {
    const rows = await this.database.rows<RetryAudit>(
      `${AUDIT} WHERE project_id = $1 AND attempt_id = $2 AND claim_token = $3 ORDER BY started_at, id LIMIT 1`,
      [projectId, attemptId, token],
    );
    return rows[0] ?? null;
  }

  /** @param from the FROM clause, in which `a` is the table with `project_id` */
  private async count(from: string, { further, values }: Conditions): Promise<number> {
    const [row] = await this.database.rows<{ total: number }>(
      `SELECT count(*)::int AS total FROM ${from} WHERE a.project_id = $1${further}`,
      values,
    );
    return row?.total ?? 0;
  }
}

export class AttemptOfProject extends thingOfProject('attempt_id', DeliveryAttempt, AttemptNotFound) {}
