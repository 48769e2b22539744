import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import {
  backlogSql,
  type ClaimedWork,
  dueLanesSql,
  type DueTable,
  type Lane,
  type LaneShare,
  lockedDueSql,
  type TryOutcome,
} from '../../sending/index.js';
import type { AttemptKind, ClaimKind } from '../attempts/attempt-states.js';
import { budgetOf, type NextState } from '../attempts/transitions.js';
import type { ChannelType } from '../channels/channel-configuration.js';

/** An attempt that this process holds, with all that sending it takes. */
export interface ClaimedAttempt extends ClaimedWork {
  readonly id: string;
  readonly projectId: ProjectId;
  readonly channelId: string;
  readonly kind: AttemptKind;
  /** Before this try. */
  readonly status: 'pending' | 'failed';
  readonly claim: ClaimKind;
  readonly claimOwner: string;
  readonly token: string;
  /** Both with this try in them. */
  readonly retryCount: number;
  readonly tryNumber: number;
  readonly parentAttemptId: string | null;
  readonly rule: Record<string, unknown> | null;
  readonly event: Record<string, unknown> | null;
  readonly deliveredTo: readonly string[];
  readonly createdAt: Date;
  readonly channelType: ChannelType;
  readonly channelEnabled: boolean;
  readonly configuration: unknown;
  readonly headers: readonly { readonly id: string; readonly name: string; readonly value: string }[];
  /** The end of the lease on the clock of `performance.now()`, counted from before the claim: never later than the database's. */
  readonly heldUntil: number;
}

/** What a held attempt is known by when its result is written. */
export type Held = Pick<ClaimedAttempt, 'id' | 'token' | 'tryNumber'>;

export interface Claimant {
  readonly owner: string;
  readonly kind: ClaimKind;
  readonly leaseSeconds: number;
}

export interface ExpiredClaim extends Held {
  readonly kind: AttemptKind;
  readonly status: 'pending' | 'failed';
  readonly claim: ClaimKind;
  readonly retryCount: number;
  readonly configuration: unknown;
}

const isLive = (project: string): string =>
  `EXISTS (SELECT 1 FROM projects p WHERE p.id = ${project} AND p.deleted_at IS NULL)`;

const DUE: DueTable = { table: 'delivery_attempts', tenant: 'project_id', lane: 'channel_id', isServed: isLive };
const DUE_LANES = dueLanesSql(DUE);
const OF_LANES = lockedDueSql(DUE, { lanes: '$5', most: '$6', batch: '$7' });
const BACKLOG = backlogSql(DUE);

const BY_ID = `
  WITH locked AS (
    SELECT a.id FROM delivery_attempts a
    WHERE a.id = $5 AND a.due_at IS NOT NULL AND a.claim_token IS NULL AND ${isLive('a.project_id')}
      AND NOT EXISTS (SELECT FROM delivery_retry_audits r
        WHERE r.attempt_id = a.id AND r.status <> 'skipped' AND r.started_at BETWEEN $6 AND clock_timestamp())
    FOR UPDATE OF a SKIP LOCKED
  )`;

/** The budget and the try are counted here, before anything is sent: a row that kills its worker ends, too. */
const CLAIM = `, claimed AS (
    UPDATE delivery_attempts a
    SET claim_token = gen_random_uuid(), claim_owner = $1, claim_kind = $2,
        claim_expires_at = clock_timestamp() + $3 * interval '1 second', try_number = a.try_number + 1,
        retry_count = a.retry_count + CASE WHEN a.status = 'failed' AND $2 <> 'retry_now' THEN 1 ELSE 0 END
    FROM locked l WHERE a.id = l.id
    RETURNING a.*
  ), audited AS (
    INSERT INTO delivery_retry_audits
      (id, project_id, attempt_id, claim_token, claim_kind, retry_number, worker_id, started_at)
    SELECT ($4::uuid[])[row_number() OVER (ORDER BY id)], project_id, id, claim_token, claim_kind, try_number - 1,
           claim_owner, clock_timestamp()
    FROM claimed WHERE status = 'failed'
  )
  SELECT c.id, c.project_id AS "projectId", c.channel_id AS "channelId", c.kind, c.status, c.claim_kind AS claim,
         c.claim_owner AS "claimOwner", c.claim_token AS token, c.retry_count AS "retryCount", c.try_number AS "tryNumber",
         c.parent_attempt_id AS "parentAttemptId", c.rule, c.event, c.delivered_to AS "deliveredTo",
         c.created_at AS "createdAt", ch.type AS "channelType", ch.enabled AS "channelEnabled", ch.configuration,
         (SELECT coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'value', h.value) ORDER BY h.id), '[]')
          FROM delivery_protected_headers h WHERE h.channel_id = c.channel_id) AS headers
  FROM claimed c JOIN delivery_channels ch ON ch.id = c.channel_id ORDER BY c.due_at`;

/** The result and its audit in one statement; nothing happens unless the token still holds the attempt. */
const SETTLE = `
  WITH settled AS (
    UPDATE delivery_attempts
    SET status = $3, retry_state = $4, due_at = clock_timestamp() + $5::float8 * interval '1 second', retry_count = $6,
        try_number = $7, response_code = $8, response_summary = $9, failure_code = $10, failure_reason = $11,
        request_metadata = coalesce($12::jsonb, request_metadata), response_metadata = $13::jsonb,
        delivered_to = coalesce($14::text[], delivered_to),
        claim_token = NULL, claim_owner = NULL, claim_kind = NULL, claim_expires_at = NULL,
        finished_token = CASE WHEN $15 THEN claim_token ELSE finished_token END,
        completed_at = CASE WHEN $5::float8 IS NULL THEN clock_timestamp() END,
        terminal_at = CASE WHEN $3 = 'failed' AND $5::float8 IS NULL THEN clock_timestamp() END,
        dlq_at = CASE WHEN $4 = 'dlq' THEN clock_timestamp() END
    WHERE id = $1 AND claim_token = $2
    RETURNING id
  ), audited AS (
    UPDATE delivery_retry_audits
    SET status = $16, finished_at = clock_timestamp(), response_code = $8, response_summary = $9, reason = $11
    WHERE attempt_id IN (SELECT id FROM settled) AND claim_token = $2
  )
  SELECT id FROM settled`;

/** Every statement about who works on what. Time is the database's alone. */
@Injectable()
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Channels that something is due for, those of all projects in turn. */
  dueLanes(most: number, after: string | null): Promise<Lane[]> {
    return this.database.rows<Lane>(DUE_LANES, [most, after]);
  }

  /** The oldest due attempts of each channel, up to its `most`, and no more than `batch` in all. */
  claim(claimant: Claimant, lanes: readonly LaneShare[], batch: number): Promise<ClaimedAttempt[]> {
    const shares = [lanes.map(({ lane }) => lane), lanes.map(({ most }) => most)];
    return this.claimBy(OF_LANES, claimant, batch, [...shares, batch]);
  }

  /**
   * One attempt that still has a try before it, due or not; null when somebody else has it, it is over, or it was tried
   * again since `unlessTriedSince`, a time of the database.
   */
  async claimOne(claimant: Claimant, id: string, db?: Db, unlessTriedSince?: Date): Promise<ClaimedAttempt | null> {
    return (await this.claimBy(BY_ID, claimant, 1, [id, unlessTriedSince ?? 'infinity'], db))[0] ?? null;
  }

  /** What the database's clock showed so many milliseconds ago, at the latest. */
  async timeBefore(elapsedMs: () => number, db: Db): Promise<Date> {
    const [row] = await this.database.rows<{ now: Date }>('SELECT clock_timestamp() AS now', [], db);
    if (row === undefined) throw new Error('the database told no time');
    return new Date(row.now.getTime() - elapsedMs());
  }

  /** @returns false when the claim is not ours any more, and nothing was written */
  async settle(
    held: Held,
    next: NextState,
    outcome: TryOutcome,
    { deliveredTo = null, isOwn }: { deliveredTo?: readonly string[] | null; isOwn: boolean },
    db?: Db,
  ): Promise<boolean> {
    const rows = await this.database.rows(
      SETTLE,
      [
        held.id,
        held.token,
        next.status,
        next.retryState,
        next.delaySeconds,
        next.retryCount,
        next.tryNumber,
        outcome.responseCode,
        outcome.summary,
        outcome.code,
        outcome.reason,
        outcome.request && JSON.stringify(outcome.request),
        outcome.response && JSON.stringify(outcome.response),
        deliveredTo,
        isOwn,
        next.audit,
      ],
      db,
    );
    return rows.length === 1;
  }

  /** Whether this claim's result stands already: its first writing succeeded and only the answer got lost. */
  async isSettledBy({ id, token }: Held): Promise<boolean> {
    const rows = await this.database.rows('SELECT 1 FROM delivery_attempts WHERE id = $1 AND finished_token = $2', [
      id,
      token,
    ]);
    return rows.length === 1;
  }

  /** Evidence of a try whose claim had expired before its result came. */
  async recordLoss(held: ClaimedAttempt, outcome: TryOutcome): Promise<void> {
    await this.database.execute(
      `INSERT INTO delivery_retry_audits
         (id, project_id, attempt_id, claim_token, claim_kind, retry_number, worker_id, status, started_at, finished_at,
          response_code, response_summary, reason)
       SELECT $1, project_id, id, $3, $4, $5, $6, 'skipped', clock_timestamp(), clock_timestamp(), $7, $8, 'lease_lost'
       FROM delivery_attempts WHERE id = $2`,
      [
        newId(),
        held.id,
        held.token,
        held.claim,
        held.tryNumber - 1,
        held.claimOwner,
        outcome.responseCode,
        outcome.summary,
      ],
    );
  }

  /** Undoes a claim nothing was sent under. */
  async giveBack(claimed: ClaimedAttempt): Promise<void> {
    await this.database.execute(
      `WITH returned AS (
         UPDATE delivery_attempts
         SET claim_token = NULL, claim_owner = NULL, claim_kind = NULL, claim_expires_at = NULL,
             try_number = try_number - 1, retry_count = retry_count - $3
         WHERE id = $1 AND claim_token = $2 RETURNING id)
       UPDATE delivery_retry_audits SET status = 'skipped', finished_at = clock_timestamp(), reason = 'given_back'
       WHERE attempt_id IN (SELECT id FROM returned) AND claim_token = $2`,
      [claimed.id, claimed.token, budgetOf(claimed)],
    );
  }

  /** Claims whose holder has not come back in time; locked for the caller, who settles them. */
  expired(limit: number, tx: Db): Promise<ExpiredClaim[]> {
    return this.database.rows<ExpiredClaim>(
      `SELECT a.id, a.claim_token AS token, a.try_number AS "tryNumber", a.kind, a.status, a.claim_kind AS claim,
              a.retry_count AS "retryCount", ch.configuration
       FROM delivery_attempts a JOIN delivery_channels ch ON ch.id = a.channel_id
       WHERE a.claim_token IS NOT NULL AND a.claim_expires_at < clock_timestamp()
       ORDER BY a.claim_expires_at LIMIT $1 FOR UPDATE OF a SKIP LOCKED`,
      [limit],
      tx,
    );
  }

  /** What waits to be sent now, and for how long the oldest does. */
  async backlog(): Promise<{ due: number; oldestSeconds: number }> {
    const [row] = await this.database.rows<{ due: number; oldestSeconds: number }>(BACKLOG);
    return row ?? { due: 0, oldestSeconds: 0 };
  }

  private async claimBy(
    select: string,
    { owner, kind, leaseSeconds }: Claimant,
    most: number,
    parameters: readonly unknown[],
    db?: Db,
  ): Promise<ClaimedAttempt[]> {
    const heldUntil = performance.now() + leaseSeconds * 1_000;
    const auditIds = Array.from({ length: most }, newId);
    const rows = await this.database.rows<Omit<ClaimedAttempt, 'heldUntil' | keyof ClaimedWork>>(
      select + CLAIM,
      [owner, kind, leaseSeconds, auditIds, ...parameters],
      db,
    );
    return rows.map((row) => ({ ...row, tenant: row.projectId, lane: row.channelId, heldUntil }));
  }
}
