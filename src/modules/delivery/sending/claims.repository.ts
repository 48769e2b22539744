import { type Database, type Db } from '../../../platform/database/database.js';
import type { LaneShare } from './dispatcher.js';
import { backlogSql, dueLanesSql, type DueTable, lockedDueSql } from './due-rows.repository.js';
import type { Lane } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/** What a held row is known by when its result is written. */
export interface Held {
  readonly id: string;
  readonly tenant: string;
  readonly token: string;
}

/** A row that this process holds. */
export interface ClaimedRow extends Held, Lane {
  /** The end of the lease on the clock of `performance.now()`, counted from before the claim: never later than the database's. */
  readonly heldUntil: number;
}

export interface Claimant {
  /** The process, or a person. */
  readonly owner: string;
  /** `worker`, or what for a table lets others claim. */
  readonly kind: string;
  readonly leaseSeconds: number;
}

/** What becomes of a row by the outcome of its try. */
interface NextTry {
  readonly status: string;
  readonly retryCount: number;
  /** When to try again, in seconds from now; null: never. */
  readonly delaySeconds: number | null;
}

/** Adds a value to those of the statement. @returns its place in the text */
export type Bind = (value: unknown) => string;

/** What a statement writes beyond what all tables have in common. */
interface Writing {
  /** Further columns, each as `name = value`. */
  readonly set: readonly string[];
  /** Further common table expressions, so that evidence is of the same statement: each behind a comma. */
  readonly evidence: string;
}

/** What is read of a row, as columns and joins behind the table. */
interface Reading {
  readonly columns: string;
  readonly joins: string;
}

/**
 * A table of things to send. Besides the columns of {@link DueTable} it has `status`, `retry_count`, `claim_owner`,
 * `claim_expires_at`, `finished_token`, `completed_at`, `response_code`, `response_summary`, `failure_code` and
 * `failure_reason`, and an index on `claim_expires_at` of the claimed rows. All SQL here is of our own making.
 */
export interface OutboxTable<X extends Held, C extends X & ClaimedRow> extends DueTable {
  /** Columns that a claim has of this table alone; they are emptied with it. */
  readonly claimColumns: readonly string[];

  /** Alias `a` in `set`; `claimed` in `evidence` has the whole rows. @param most rows that may be claimed */
  claim(bind: Bind, claimant: Claimant, most: number): Writing;
  /** Of a claimed row `c`. */
  readonly claimed: Reading;
  /** Of a row `a` whose claim has expired. */
  readonly expired: Reading;

  /** What becomes of a held row; `written` in `evidence` has its id, if the claim still stands. */
  settle(bind: Bind, held: X, outcome: TryOutcome): Writing & { readonly next: NextTry };
  /** What undoes the claim's counting; `written` as in `settle`. */
  giveBack(bind: Bind, claimed: C): Writing;
}

/**
 * Every statement about who works on what. Rows are claimed by a token and for the time of a lease, by the database's
 * clock alone; whatever is written afterwards asks for the token.
 */
export class ClaimsRepository<X extends Held, C extends X & ClaimedRow> {
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
    const { values, bind } = parameters();
    const { name, lane, claimed } = this.table;
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
       SELECT c.id, c.claim_token AS token, c.project_id AS tenant, c.${lane} AS lane, ${claimed.columns}
       FROM claimed c ${claimed.joins} ORDER BY c.due_at`,
      values,
      db,
    );
    return rows.map((row) => ({ ...row, heldUntil }) as C);
  }

  /**
   * Writes what came of a try, with its evidence, unless the claim has been lost.
   * @param by who writes: the holder of the claim, or whoever ends it because its lease is over
   * @returns false when the claim is not ours any more, and nothing was written
   */
  settle(held: X, outcome: TryOutcome, by: 'holder' | 'expiry', db?: Db): Promise<boolean> {
    const { values, bind } = parameters();
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
    return this.release(held, { set: columns, evidence }, { values, bind }, db);
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
    const { values, bind } = parameters();
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

interface Parameters {
  readonly values: unknown[];
  readonly bind: Bind;
}

function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}
