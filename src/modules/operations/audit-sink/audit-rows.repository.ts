import { Injectable } from '@nestjs/common';
import type { AuditSinkKind } from '../../../config/index.js';
import { Database } from '../../../platform/database/database.js';
import type { AuditEvent } from '../../identity/audit/index.js';

/** An audit event and its position in the order of commit. */
export interface NumberedAuditEvent extends AuditEvent {
  readonly position: string;
}

/** Count and age of the audit rows that a sink has not stored yet. */
export interface WaitingRows {
  readonly rows: number;
  /** The age of the oldest of these rows; 0 when there is none. */
  readonly oldestSeconds: number;
}

/** The smallest position. Every row has a larger one. */
const START = '-9223372036854775808';
/** A process that does not move the cursor of its sink for this time loses its claim on the sink. */
const CLAIM_TTL = `interval '60 seconds'`;

/**
 * Reads audit events in the order of commit, and stores one cursor for each kind of sink. A position becomes visible
 * only after all smaller positions, because the trigger that assigns positions holds a lock until the commit.
 */
@Injectable()
export class AuditRowsRepository {
  constructor(private readonly database: Database) {}

  /** Adds a cursor before the oldest audit event, unless the kind of sink has one. */
  async addCursor(kind: AuditSinkKind): Promise<void> {
    await this.database.execute(
      `INSERT INTO audit_sinks (kind, position) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT pk_audit_sinks DO NOTHING`,
      [kind, START],
    );
  }

  /**
   * Claims a kind of sink, or renews the claim.
   * @returns the position of the last stored row, or null when nothing waits or another process has the claim
   */
  async claim(kind: AuditSinkKind, claim: string): Promise<string | null> {
    const [row] = await this.database.rows<{ position: string }>(
      `WITH /* every tenant: the audit sink of the operator */ claimed AS (
         UPDATE audit_sinks s SET claim = $2, claimed_until = clock_timestamp() + ${CLAIM_TTL}
         WHERE s.kind = $1 AND (s.claim IS NULL OR s.claim = $2 OR s.claimed_until < clock_timestamp())
           AND EXISTS (SELECT FROM audit_positions p WHERE p.position > s.position)
         RETURNING s.position)
       SELECT position::text FROM claimed`,
      [kind, claim],
    );
    return row?.position ?? null;
  }

  /** Returns the rows that follow a position. Rows that were deleted from the table are left out. */
  after(position: string, limit: number): Promise<NumberedAuditEvent[]> {
    return this.database.rows<NumberedAuditEvent>(
      `SELECT /* every tenant: the audit sink of the operator */ p.position::text, e.id,
              e.actor_user_id AS "actorUserId", e.organization_id AS "organizationId", e.project_id AS "projectId",
              e.action, e.target_type AS "targetType", e.target_id AS "targetId", e.detail,
              e.request_id AS "requestId", e.created_at AS "createdAt"
       FROM audit_positions p JOIN audit_events e ON e.id = p.audit_event_id
       WHERE p.position > $1 ORDER BY p.position LIMIT $2`,
      [position, limit],
    );
  }

  /** Moves the cursor after rows were stored. @returns false when another process has the claim by now */
  async move(kind: AuditSinkKind, claim: string, position: string): Promise<boolean> {
    const moved = await this.database.execute(
      `UPDATE audit_sinks SET position = $3, claimed_until = clock_timestamp() + ${CLAIM_TTL}
       WHERE kind = $1 AND claim = $2`,
      [kind, claim, position],
    );
    return moved > 0;
  }

  async release(kind: AuditSinkKind, claim: string): Promise<void> {
    await this.database.execute(
      'UPDATE audit_sinks SET claim = NULL, claimed_until = NULL WHERE kind = $1 AND claim = $2',
      [kind, claim],
    );
  }

  async waiting(kind: AuditSinkKind): Promise<WaitingRows> {
    const [row] = await this.database.apart(() =>
      this.database.rows<WaitingRows>(
        `WITH /* every tenant: numbers for operators */ sink AS (
           SELECT coalesce((SELECT s.position FROM audit_sinks s WHERE s.kind = $1), $2::bigint) AS position)
         SELECT (SELECT count(*) FROM audit_positions p, sink WHERE p.position > sink.position)::float8 AS rows,
                coalesce(extract(epoch FROM now() - (
                  SELECT e.created_at FROM sink, audit_positions p JOIN audit_events e ON e.id = p.audit_event_id
                  WHERE p.position > sink.position ORDER BY p.position LIMIT 1)), 0)::float8 AS "oldestSeconds"`,
        [kind, START],
      ),
    );
    return row ?? { rows: 0, oldestSeconds: 0 };
  }
}
