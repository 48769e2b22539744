import type { Database, Db } from '../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../platform/database/parameters.js';
import type { LaneShare } from './dispatcher.js';
import { backlogSql, dueLanesSql, dueSoonSql, lockedDueSql } from './due-rows.repository.js';
import type { Claimant, ClaimedRow, Held, NextTry, OutboxTable, Writing } from './outbox-table.js';
import type { SendingLane } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/**
 * Runs every statement that claims outbox rows or ends a claim. A claim is a token and a lease whose end is set by the
 * clock of the database. Each later write requires the token.
 */
export class ClaimsWriter<X extends Held, C extends X & ClaimedRow> {
  private readonly dueLanesSql: string;
  private readonly backlogSql: string;

  constructor(
    private readonly database: Database,
    private readonly table: OutboxTable<X, C>,
  ) {
    this.dueLanesSql = dueLanesSql(table);
    this.backlogSql = backlogSql(table);
  }

  /** Returns at most `most` lanes that have due rows: one of each project, then another of each, and so on. */
  dueLanes(most: number, after: string | null): Promise<SendingLane[]> {
    return this.database.rows<SendingLane>(this.dueLanesSql, [most, after]);
  }

  /** Returns the lanes whose next send comes due within so many seconds, each with the seconds until then. */
  dueSoon(withinSeconds: number, most: number): Promise<(SendingLane & { readonly inSeconds: number })[]> {
    return this.database.rows(dueSoonSql(this.table), [withinSeconds, most]);
  }

  /** Claims the oldest due rows of each lane, up to its `most`, and no more than `batch` in all. */
  claim(claimant: Claimant, lanes: readonly LaneShare[], batch: number): Promise<C[]> {
    return this.claimLocked(
      (bind) =>
        lockedDueSql(this.table, {
          tenants: bind(lanes.map(({ tenant }) => tenant)),
          lanes: bind(lanes.map(({ lane }) => lane)),
          most: bind(lanes.map(({ most }) => most)),
          batch: bind(batch),
        }),
      claimant,
      batch,
    );
  }

  /**
   * Claims the rows that a statement has locked. The claim counts the send before anything is sent, so that a row that
   * kills its worker uses up its retries too.
   * @param locked `WITH locked AS (…)` of the ids of unclaimed rows
   * @param most how many rows `locked` returns at most
   */
  async claimLocked(locked: (bind: Bind) => string, claimant: Claimant, most: number, db?: Db): Promise<C[]> {
    const heldUntil = performance.now() + claimant.leaseSeconds * 1_000;
    const { values, bind } = new Parameters();
    const { name, lane, series, claimed } = this.table;
    const { set, evidence } = this.table.claim(bind, claimant, most);
    const columns = [
      'claim_token = gen_random_uuid()',
      `claim_owner = ${bind(claimant.owner)}`,
      `claim_expires_at = clock_timestamp() + ${bind(claimant.leaseSeconds)} * interval '1 second'`,
      ...set,
    ];
    const rows = await this.database.rows<Omit<C, 'heldUntil'>>(
      `${locked(bind)}, claimed AS (
         UPDATE ${name} a SET ${columns.join(', ')} FROM locked l WHERE a.id = l.id RETURNING a.*
       )${evidence}
       SELECT c.id, c.claim_token AS token, c.project_id AS tenant, c.${lane} AS lane, c.${series} AS series, c.traceparent,
              ${claimed.columns}
       FROM claimed c ${claimed.joins} ORDER BY c.due_at`,
      values,
      db,
    );
    return rows.map((row) => ({ ...row, heldUntil }) as C);
  }

  /**
   * Stores the outcome of a send with its evidence, unless the claim has been lost.
   * @param by `holder`: the process that holds the claim; `expiry`: a process that ends a claim whose lease is over
   * @returns the stored state; null when this claim no longer holds the row, and nothing was stored
   */
  async settle(held: X, outcome: TryOutcome, by: 'holder' | 'expiry', db?: Db): Promise<NextTry | null> {
    const { values, bind } = new Parameters();
    const { next, set, evidence } = this.table.settle(bind, held, outcome);
    const delay = `${bind(next.delaySeconds)}::float8`;
    const columns = [
      `status = ${bind(next.status)}`,
      `retry_count = ${bind(next.retryCount)}`,
      `due_at = clock_timestamp() + ${delay} * interval '1 second'`,
      `completed_at = CASE WHEN ${delay} IS NULL THEN clock_timestamp() END`,
      `response_code = ${bind(outcome.responseCode)}`,
      `response_summary = ${bind(outcome.summary)}`,
      `failure_code = ${bind(outcome.code)}`,
      `failure_reason = ${bind(outcome.reason)}`,
      `sent_request = coalesce(${bind(outcome.sentRequest ? JSON.stringify(outcome.sentRequest) : null)}::jsonb, sent_request)`,
      ...(by === 'holder' ? ['finished_token = claim_token'] : []),
      ...set,
    ];
    return (await this.release(held, { set: columns, evidence }, { values, bind }, db)) ? next : null;
  }

  /** Returns whether this claim has stored its result already: then only the answer of the first write was lost. */
  async isSettledBy({ id, tenant, token }: Held): Promise<boolean> {
    const { name } = this.table;
    const rows = await this.database.rows(
      `SELECT 1 FROM ${name} WHERE project_id = $1 AND id = $2 AND finished_token = $3`,
      [tenant, id, token],
    );
    return rows.length === 1;
  }

  /** Undoes a claim under which nothing was sent. */
  async giveBack(claimed: C): Promise<void> {
    const { values, bind } = new Parameters();
    await this.release(claimed, this.table.giveBack(bind, claimed), { values, bind });
  }

  /** Returns claims whose lease has ended, locked until the transaction of the caller ends. The caller settles them. */
  expired(limit: number, tx: Db): Promise<X[]> {
    const { name, expired } = this.table;
    return this.database.rows<X>(
      `SELECT a.id, a.project_id AS tenant, a.claim_token AS token, ${expired.columns}
       /* every tenant: whose holder died */ FROM ${name} a ${expired.joins}
       WHERE a.claim_token IS NOT NULL AND a.claim_expires_at < clock_timestamp()
       ORDER BY a.claim_expires_at LIMIT $1 FOR UPDATE OF a SKIP LOCKED`,
      [limit],
      tx,
    );
  }

  /** Returns how many rows are due and not claimed, and for how many seconds the oldest of them has been due. */
  async backlog(): Promise<{ due: number; oldestSeconds: number }> {
    const [row] = await this.database.rows<{ due: number; oldestSeconds: number }>(this.backlogSql);
    return row ?? { due: 0, oldestSeconds: 0 };
  }

  private async release(
    { id, tenant, token }: Held,
    { set, evidence }: Writing,
    { values, bind }: Parameters,
    db?: Db,
  ): Promise<boolean> {
    const { name, claimColumns } = this.table;
    const emptied = ['claim_token', 'claim_owner', 'claim_expires_at', ...claimColumns].map((each) => `${each} = NULL`);
    const rows = await this.database.rows(
      `WITH written AS (
         UPDATE ${name} SET ${[...emptied, ...set].join(', ')}
         WHERE project_id = ${bind(tenant)} AND id = ${bind(id)} AND claim_token = ${bind(token)} RETURNING id
       )${evidence}
       SELECT id FROM written`,
      values,
      db,
    );
    return rows.length === 1;
  }
}
