import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { newId } from '../../../../platform/ids/index.js';
import {
  type Claimant,
  type ClaimedRow,
  ClaimsWriter,
  type Held,
  isLive,
  type OutboxTable,
  type TryOutcome,
} from '../../sending/index.js';
import type { ProjectOfTemplate } from '../../templates/index.js';
import type { AttemptKind, ClaimKind } from '../attempts/attempt-states.js';
import { budgetOf, nextState } from '../attempts/attempt-transitions.js';
import { ATTEMPT_ROWS } from '../attempts/due-rows.js';
import { policyOf } from '../drivers/channel-configuration.js';

/** An attempt that this process has claimed, with everything that a send needs. */
export interface ClaimedAttempt extends ClaimedRow {
  readonly projectId: ProjectId;
  readonly channelId: string;
  readonly kind: AttemptKind;
  /** The status before this send. */
  readonly status: 'pending' | 'failed';
  readonly claim: ClaimKind;
  readonly claimOwner: string;
  /** `retryCount` and `tryNumber` include this send. */
  readonly retryCount: number;
  readonly tryNumber: number;
  readonly parentAttemptId: string | null;
  readonly rule: Record<string, unknown> | null;
  /** JSON text, in which numbers keep all their digits. */
  readonly event: string | null;
  readonly deliveredTo: readonly string[];
  readonly createdAt: Date;
  readonly channelType: string;
  readonly channelEnabled: boolean;
  readonly configuration: unknown;
  /** `updated_at` of the channel, as text of the database. */
  readonly channelUpdatedAt: string;
  readonly headers: readonly { readonly id: string; readonly name: string; readonly value: string }[];
  /** Null: the project is gone. */
  readonly project: ProjectOfTemplate | null;
  /** The encrypted signing secrets of the channel. */
  readonly signingSecret: string | null;
  readonly previousSigningSecret: string | null;
  readonly previousSigningSecretUntil: Date | null;
}

export type ExpiredAttempt = Held &
  Pick<ClaimedAttempt, 'kind' | 'status' | 'claim' | 'retryCount' | 'tryNumber' | 'configuration'>;

type AttemptClaimant = Claimant & { readonly kind: ClaimKind };

/** The outbox table of attempts. The claim of a retry inserts an audit, and its result completes the audit. */
const ATTEMPTS: OutboxTable<ExpiredAttempt, ClaimedAttempt> = {
  ...ATTEMPT_ROWS,
  claimColumns: ['claim_kind'],

  claim(bind, { kind }, most) {
    return {
      set: [
        `claim_kind = ${bind(kind)}`,
        'try_number = a.try_number + 1',
        ...(kind === 'retry_now'
          ? []
          : [`retry_count = a.retry_count + CASE WHEN a.status = 'failed' THEN 1 ELSE 0 END`]),
      ],
      evidence: `, audited AS (
        INSERT INTO delivery_retry_audits
          (id, project_id, attempt_id, claim_token, claim_kind, retry_number, worker_id, started_at)
        SELECT (${bind(Array.from({ length: most }, newId))}::uuid[])[row_number() OVER (ORDER BY id)], project_id, id,
               claim_token, claim_kind, try_number - 1, claim_owner, clock_timestamp()
        FROM claimed WHERE status = 'failed'
      )`,
    };
  },

  claimed: {
    columns: `
      c.project_id AS "projectId", c.channel_id AS "channelId", c.kind, c.status, c.claim_kind AS claim,
      c.claim_owner AS "claimOwner", c.retry_count AS "retryCount", c.try_number AS "tryNumber",
      c.parent_attempt_id AS "parentAttemptId", c.rule, c.event::text AS event, c.delivered_to AS "deliveredTo",
      c.created_at AS "createdAt", ch.type AS "channelType", ch.enabled AS "channelEnabled", ch.configuration,
      ch.updated_at::text AS "channelUpdatedAt", ch.signing_secret AS "signingSecret",
      (SELECT json_build_object('name', p.name, 'slug', p.slug, 'organization', o.slug)
       FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE p.id = c.project_id) AS project,
      ch.previous_signing_secret AS "previousSigningSecret",
      ch.previous_signing_secret_until AS "previousSigningSecretUntil",
      (SELECT coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'value', h.value) ORDER BY h.id), '[]')
       FROM delivery_protected_headers h WHERE h.channel_id = c.channel_id) AS headers`,
    joins: 'JOIN delivery_channels ch ON ch.id = c.channel_id',
  },

  expired: {
    columns: `a.try_number AS "tryNumber", a.kind, a.status, a.claim_kind AS claim, a.retry_count AS "retryCount",
      ch.configuration`,
    joins: 'JOIN delivery_channels ch ON ch.id = a.channel_id',
  },

  settle(bind, held, outcome) {
    const next = nextState(held, outcome, policyOf(held.configuration), randomInt(2 ** 32) / 2 ** 32);
    const isTerminal = next.status === 'failed' && next.delaySeconds === null;
    return {
      next,
      set: [
        `retry_state = ${bind(next.retryState)}`,
        `try_number = ${bind(next.tryNumber)}`,
        `request_metadata = coalesce(${bind(jsonOf(outcome.request))}::jsonb, request_metadata)`,
        `response_metadata = ${bind(jsonOf(outcome.response))}::jsonb`,
        `delivered_to = coalesce(${bind(outcome.deliveredTo ?? null)}::text[], delivered_to)`,
        `terminal_at = ${isTerminal ? 'clock_timestamp()' : 'NULL'}`,
        `dlq_at = ${next.retryState === 'dlq' ? 'clock_timestamp()' : 'NULL'}`,
      ],
      evidence: endOfAudit(bind, held, { ...outcome, status: next.audit }),
    };
  },

  giveBack(bind, claimed) {
    const nothing = { responseCode: null, summary: null };
    return {
      set: ['try_number = try_number - 1', `retry_count = retry_count - ${bind(budgetOf(claimed))}`],
      evidence: endOfAudit(bind, claimed, { ...nothing, status: 'skipped', reason: 'given_back' }),
    };
  },
};

/** Claims attempts: for workers by {@link ClaimsWriter}, for operators by id. All times are those of the database. */
@Injectable()
export class AttemptClaimsRepository {
  /** The statements that all outboxes share. */
  readonly common: ClaimsWriter<ExpiredAttempt, ClaimedAttempt>;

  constructor(private readonly database: Database) {
    this.common = new ClaimsWriter(database, ATTEMPTS);
  }

  /**
   * Claims one attempt that is to be sent, due or not. Returns null when the attempt is claimed already, when it has
   * ended, or when a retry has started since `unlessTriedSince`, a time of the database clock.
   */
  async claimOne(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    claimant: AttemptClaimant,
    id: string,
    db?: Db,
    unlessTriedSince?: Date,
  ): Promise<ClaimedAttempt | null> {
    const locked = (bind: Bind): string => `
      WITH locked AS (
        SELECT a.id FROM delivery_attempts a
        WHERE a.project_id = ${bind(projectId)} AND a.id = ${bind(id)}
          AND a.due_at IS NOT NULL AND a.claim_token IS NULL AND ${isLive('a.project_id')}
          AND NOT EXISTS (SELECT FROM delivery_retry_audits r
            WHERE r.attempt_id = a.id AND r.status <> 'skipped'
              AND r.started_at BETWEEN ${bind(unlessTriedSince ?? 'infinity')} AND clock_timestamp())
        FOR UPDATE OF a SKIP LOCKED
      )`;
    return (await this.common.claimLocked(locked, claimant, 1, db))[0] ?? null;
  }

  /** Returns the time of the database clock `elapsedMs()` milliseconds ago, or slightly earlier. */
  async timeBefore(elapsedMs: () => number, db: Db): Promise<Date> {
    const [row] = await this.database.rows<{ now: Date }>('SELECT clock_timestamp() AS now', [], db);
    if (row === undefined) throw new Error('the database told no time');
    return new Date(row.now.getTime() - elapsedMs());
  }

  /** Stores evidence of a send whose claim had expired before its result came. */
  async recordLoss(held: ClaimedAttempt, outcome: TryOutcome): Promise<void> {
    await this.database.execute(
      `INSERT INTO delivery_retry_audits
         (id, project_id, attempt_id, claim_token, claim_kind, retry_number, worker_id, status, started_at, finished_at,
          response_code, response_summary, reason)
       SELECT $1, project_id, id, $3, $4, $5, $6, 'skipped', clock_timestamp(), clock_timestamp(), $7, $8, 'lease_lost'
       FROM delivery_attempts WHERE id = $2 AND project_id = $9`,
      [
        newId(),
        held.id,
        held.token,
        held.claim,
        held.tryNumber - 1,
        held.claimOwner,
        outcome.responseCode,
        outcome.summary,
        held.projectId,
      ],
    );
  }
}

/**
 * Returns SQL that completes the audit record of the claim. A first send has no audit record, so the SQL changes
 * nothing.
 */
function endOfAudit(
  bind: Bind,
  { tenant, token }: Held,
  {
    status,
    responseCode,
    summary,
    reason,
  }: Pick<TryOutcome, 'responseCode' | 'summary' | 'reason'> & { status: string },
): string {
  return `, audited AS (
    UPDATE delivery_retry_audits
    SET status = ${bind(status)}, finished_at = clock_timestamp(), response_code = ${bind(responseCode)},
        response_summary = ${bind(summary)}, reason = ${bind(reason)}
    WHERE project_id = ${bind(tenant)} AND attempt_id IN (SELECT id FROM written) AND claim_token = ${bind(token)}
  )`;
}

function jsonOf(metadata: Readonly<Record<string, unknown>> | null): string | null {
  return metadata && JSON.stringify(metadata);
}
