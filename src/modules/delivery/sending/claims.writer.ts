import type { Database, Db } from '../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../platform/database/parameters.js';
import type { LaneShare } from './dispatcher.js';
import { backlogSql, dueLanesSql, dueSoonSql, lockedDueSql } from './due-rows.repository.js';
import type { Claimant, ClaimedRow, Held, NextTry, OutboxTable, Writing } from './outbox-table.js';
import type { Lane } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/**
 * Every statement about who works on what. Rows are claimed by a token and for the time of a lease, by the database's
 * clock alone; whatever is written afterwards asks for the token.
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

  /** Lanes that something is due for, those of all projects in turn. */
  dueLanes(most: number, after: string | null): Promise<Lane[]> {
    return this.database.rows<Lane>(this.dueLanesSql, [most, after]);
  }

  /** Lanes in which a try comes due within so many seconds, each with when. */
  dueSoon(withinSeconds: number, most: number): Promise<(Lane & { readonly inSeconds: number })[]> {
    return this.database.rows(dueSoonSql(this.table), [withinSeconds, most]);
  }

  /** The oldest due rows of each lane, up to its `most`, and no more than `batch` in all. */
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
   * Claims what a statement has locked. What is counted of a try is counted here, before anything is sent: a row that kills
   * its worker ends, too.
   * @param locked `WITH locked AS (…)` of the ids of unclaimed rows
   * @param most how many these are at most
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
       SELECT c.id, c.claim_token AS token, c.project_id AS tenant, c.${lane} AS lane, c.${series} AS series, ${claimed.columns}
       FROM claimed c ${claimed.joins} ORDER BY c.due_at`,
      values,
      db,
    );
    return rows.map((row) => ({ ...row, heldUntil }) as C);
  }

  /**
   * Writes what came of a try, with its evidence, unless the claim has been lost.
   * @param by who writes: the holder of the claim, or whoever ends it because its lease is over
   * @returns what was written; null when the claim is not ours any more, and nothing was written
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
      ...(by === 'holder' ? ['finished_token = claim_token'] : []),
      ...set,
    ];
    return (await this.release(held, { set: columns, evidence }, { values, bind }, db)) ? next : null;
  }

  /** Whether this claim's result stands already: its first writing succeeded and only the answer got lost. */
  async isSettledBy({ id, tenant, token }: Held): Promise<boolean> {
    const { name } = this.table;
    const rows = await this.database.rows(
      `SELECT 1 FROM ${name} WHERE project_id = $1 AND id = $2 AND finished_token = $3`,
      [tenant, id, token],
    );
    return rows.length === 1;
  }

  /** Undoes a claim nothing was sent under. */
  async giveBack(claimed: C): Promise<void> {
    const { values, bind } = new Parameters();
    await this.release(claimed, this.table.giveBack(bind, claimed), { values, bind });
  }

  /** Claims whose holder has not come back in time; locked for the caller, who settles them. */
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

  /** What waits to be sent now, and for how long the oldest does. */
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
