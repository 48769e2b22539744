import { Injectable } from '@nestjs/common';
import { asProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import {
  backlogSql,
  type ClaimedWork,
  dueLanesSql,
  type DueTable,
  type Lane,
  type LaneShare,
  lockedDueSql,
  type TryOutcome,
} from '../../../delivery/sending/index.js';
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

const DUE: DueTable = {
  table: 'alert_deliveries',
  tenant: 'project_id',
  lane: 'destination_id',
  isServed: (project) => `EXISTS (SELECT 1 FROM projects p WHERE p.id = ${project} AND p.deleted_at IS NULL)`,
};
const DUE_LANES = dueLanesSql(DUE);
const BACKLOG = backlogSql(DUE);

const CLAIM = `${lockedDueSql(DUE, { lanes: '$3', most: '$4', batch: '$5' })}, claimed AS (
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

  /** Destinations that something is due for, those of all projects in turn. */
  dueLanes(most: number, after: string | null): Promise<Lane[]> {
    return this.database.rows<Lane>(DUE_LANES, [most, after]);
  }

  /** The oldest due deliveries of each destination, up to its `most`, and no more than `batch` in all. */
  async claim({ owner, leaseSeconds }: Claimant, lanes: readonly LaneShare[], batch: number): Promise<HeldDelivery[]> {
    const heldUntil = performance.now() + leaseSeconds * 1_000;
    const shares = [lanes.map(({ lane }) => lane), lanes.map(({ most }) => most)];
    const rows = await this.database.rows<ClaimedRow>(CLAIM, [owner, leaseSeconds, ...shares, batch]);
    return rows.map((row) => heldDelivery(row, heldUntil));
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
    const [row] = await this.database.rows<{ due: number; oldestSeconds: number }>(BACKLOG);
    return row ?? { due: 0, oldestSeconds: 0 };
  }
}

function heldDelivery(row: ClaimedRow, heldUntil: number): HeldDelivery {
  const { id, token, tenant, lane, status, retryCount, notice, type, isEnabled, ...sealed } = row;
  const { targetUrl, sealedUrl, secret, previousSecret, previousSecretUntil } = sealed;
  const credentials = { targetUrl, sealedUrl, secret, previousSecret, previousSecretUntil };
  const destination =
    type === null ? null : { id: lane, projectId: asProjectId(tenant), type, isEnabled, ...credentials };
  return { id, token, tenant, lane, status, retryCount, notice, destination, heldUntil };
}
