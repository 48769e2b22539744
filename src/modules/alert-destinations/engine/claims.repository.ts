import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ClaimedWork, FairShare, TryOutcome } from '../../../platform/tries/index.js';
import type { ClaimedDelivery, NextDelivery } from '../deliveries/transitions.js';
import type { AlertDestination } from '../destinations/destination.entity.js';
import type { SealedDestination } from '../destinations/destination-vault.js';
import type { StoredNotice } from '../notices/alert-notice.js';

export type DestinationOfDelivery = SealedDestination & Pick<AlertDestination, 'type' | 'isEnabled'>;

/** What a held delivery is known by when its result is written. */
export interface Held {
  readonly id: string;
  readonly token: string;
}

/** A delivery that this process holds, with all that sending it takes. */
export interface HeldDelivery extends Held, ClaimedDelivery, ClaimedWork {
  readonly notice: StoredNotice;
  /** Null: deleted meanwhile. */
  readonly destination: DestinationOfDelivery | null;
  /** The end of the lease on the clock of `performance.now()`, counted from before the claim: never later than the database's. */
  readonly heldUntil: number;
}

export interface Claimant {
  readonly owner: string;
  readonly leaseSeconds: number;
}

interface ClaimedRow extends Held, ClaimedDelivery, ClaimedWork, Pick<SealedDestination, 'sealedUrl' | 'secret'> {
  readonly notice: StoredNotice;
  readonly type: AlertDestination['type'] | null;
  readonly isEnabled: boolean;
  readonly targetUrl: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
}

/** Destinations with something waiting, found by jumping through the index; due ones of each, the oldest first. */
const FAIR = `
  WITH RECURSIVE waiting AS (
    (SELECT project_id, destination_id FROM alert_deliveries
     WHERE due_at IS NOT NULL AND claim_token IS NULL ORDER BY destination_id LIMIT 1)
    UNION ALL
    SELECT n.project_id, n.destination_id FROM waiting w, LATERAL (
      SELECT project_id, destination_id FROM alert_deliveries
      WHERE due_at IS NOT NULL AND claim_token IS NULL AND destination_id > w.destination_id
      ORDER BY destination_id LIMIT 1) n
  ), candidate AS (
    SELECT d.id FROM waiting w JOIN projects p ON p.id = w.project_id AND p.deleted_at IS NULL, LATERAL (
      SELECT id, due_at FROM alert_deliveries
      WHERE destination_id = w.destination_id AND due_at <= now() AND claim_token IS NULL ORDER BY due_at LIMIT $4) d
    WHERE w.project_id <> ALL($5::uuid[]) AND w.destination_id <> ALL($6::uuid[])
    ORDER BY d.due_at LIMIT $3
  ), locked AS (
    SELECT a.id FROM alert_deliveries a
    WHERE a.id IN (SELECT id FROM candidate) AND a.due_at <= now() AND a.claim_token IS NULL
    FOR UPDATE OF a SKIP LOCKED
  )`;

const OF_DESTINATION = `
  WITH locked AS (
    SELECT a.id FROM alert_deliveries a JOIN projects p ON p.id = a.project_id
    WHERE a.destination_id = $4 AND a.due_at <= now() AND a.claim_token IS NULL AND p.deleted_at IS NULL
    ORDER BY a.due_at LIMIT $3 FOR UPDATE OF a SKIP LOCKED
  )`;

const CLAIM = `, claimed AS (
    UPDATE alert_deliveries a
    SET claim_token = gen_random_uuid(), claim_owner = $1, claim_expires_at = clock_timestamp() + $2 * interval '1 second'
    FROM locked l WHERE a.id = l.id
    RETURNING a.*
  )
  SELECT c.id, c.claim_token AS token, c.project_id AS tenant, c.destination_id AS lane, c.status,
         c.retry_count AS "retryCount", n.notice, d.type, d.is_enabled AS "isEnabled", d.target_url AS "targetUrl",
         d.sealed_url AS "sealedUrl", d.secret, d.previous_secret AS "previousSecret",
         d.previous_secret_until AS "previousSecretUntil"
  FROM claimed c JOIN alert_notices n ON n.id = c.notice_id
  LEFT JOIN alert_destinations d ON d.id = c.destination_id AND d.project_id = c.project_id
  ORDER BY c.due_at`;

const DUE = `
  SELECT EXISTS (
    SELECT 1 FROM alert_deliveries a JOIN projects p ON p.id = a.project_id
    WHERE a.due_at <= now() AND a.claim_token IS NULL AND p.deleted_at IS NULL
      AND a.project_id <> ALL($1::uuid[]) AND a.destination_id <> ALL($2::uuid[])) AS due`;

/** Nothing happens unless the token still holds the delivery. */
const SETTLE = `
  UPDATE alert_deliveries
  SET status = $3, retry_count = $4, due_at = clock_timestamp() + $5::float8 * interval '1 second',
      response_code = $6, response_summary = $7, failure_code = $8, failure_reason = $9,
      claim_token = NULL, claim_owner = NULL, claim_expires_at = NULL, finished_token = claim_token,
      completed_at = CASE WHEN $5::float8 IS NULL THEN clock_timestamp() END
  WHERE id = $1 AND claim_token = $2`;

/** Every statement about who works on what. Time is the database's alone. */
@Injectable()
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Due deliveries of all tenants, a few of each destination, so that no dead receiver starves the others. */
  claimFairly(claimant: Claimant, { batch, ofLane, fullTenants, fullLanes }: FairShare): Promise<HeldDelivery[]> {
    return this.claim(FAIR, claimant, [batch, ofLane, fullTenants, fullLanes]);
  }

  claimOfDestination(claimant: Claimant, destinationId: string, most: number): Promise<HeldDelivery[]> {
    return this.claim(OF_DESTINATION, claimant, [most, destinationId]);
  }

  async hasDue({ fullTenants, fullLanes }: Pick<FairShare, 'fullTenants' | 'fullLanes'>): Promise<boolean> {
    const [row] = await this.database.rows<{ due: boolean }>(DUE, [fullTenants, fullLanes]);
    return row?.due ?? false;
  }

  /** @returns false when the claim is not ours any more, and nothing was written */
  async settle(held: Held, next: NextDelivery, outcome: TryOutcome, db?: Db): Promise<boolean> {
    const written = await this.database.execute(
      SETTLE,
      [
        held.id,
        held.token,
        next.status,
        next.retryCount,
        next.delaySeconds,
        outcome.responseCode,
        outcome.summary,
        outcome.code,
        outcome.reason,
      ],
      db,
    );
    return written === 1;
  }

  /** Whether this claim's result stands already: its first writing succeeded and only the answer got lost. */
  async isSettledBy({ id, token }: Held): Promise<boolean> {
    const rows = await this.database.rows('SELECT 1 FROM alert_deliveries WHERE id = $1 AND finished_token = $2', [
      id,
      token,
    ]);
    return rows.length === 1;
  }

  /** Undoes a claim nothing was sent under. */
  async giveBack({ id, token }: Held): Promise<void> {
    await this.database.execute(
      `UPDATE alert_deliveries SET claim_token = NULL, claim_owner = NULL, claim_expires_at = NULL
       WHERE id = $1 AND claim_token = $2`,
      [id, token],
    );
  }

  /** Claims whose holder has not come back in time; locked for the caller, who settles them. */
  expired(limit: number, tx: Db): Promise<(Held & ClaimedDelivery)[]> {
    return this.database.rows<Held & ClaimedDelivery>(
      `SELECT id, claim_token AS token, status, retry_count AS "retryCount" FROM alert_deliveries
       WHERE claim_token IS NOT NULL AND claim_expires_at < clock_timestamp()
       ORDER BY claim_expires_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
      tx,
    );
  }

  /** What waits to be sent now, and for how long the oldest does. */
  async backlog(): Promise<{ due: number; oldestSeconds: number }> {
    const [row] = await this.database.rows<{ due: number; oldest: number }>(
      `SELECT count(*)::int AS due, coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS oldest
       FROM alert_deliveries WHERE due_at <= now() AND claim_token IS NULL`,
    );
    return { due: row?.due ?? 0, oldestSeconds: row?.oldest ?? 0 };
  }

  private async claim(
    select: string,
    { owner, leaseSeconds }: Claimant,
    parameters: readonly unknown[],
  ): Promise<HeldDelivery[]> {
    const heldUntil = performance.now() + leaseSeconds * 1_000;
    const rows = await this.database.rows<ClaimedRow>(select + CLAIM, [owner, leaseSeconds, ...parameters]);
    return rows.map((row) => heldDelivery(row, heldUntil));
  }
}

function heldDelivery(row: ClaimedRow, heldUntil: number): HeldDelivery {
  const { id, token, tenant, lane, status, retryCount, notice, type, isEnabled, ...sealed } = row;
  const { targetUrl, sealedUrl, secret, previousSecret, previousSecretUntil } = sealed;
  const credentials = { targetUrl, sealedUrl, secret, previousSecret, previousSecretUntil };
  const destination = type === null ? null : { id: lane, projectId: tenant, type, isEnabled, ...credentials };
  return { id, token, tenant, lane, status, retryCount, notice, destination, heldUntil };
}
