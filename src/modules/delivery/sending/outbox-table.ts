import type { Bind } from '../../../platform/database/parameters.js';
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
  /** Null: the row is sent in any order. */
  readonly series: string | null;
}

export interface Claimant {
  /** The process, or a person. */
  readonly owner: string;
  /** `worker`, or what for a table lets others claim. */
  readonly kind: string;
  readonly leaseSeconds: number;
}

/** What becomes of a row by the outcome of its try. */
export interface NextTry {
  readonly status: string;
  readonly retryCount: number;
  /** When to try again, in seconds from now; null: never. */
  readonly delaySeconds: number | null;
}

/** What a statement writes beyond what all tables have in common. */
export interface Writing {
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
 * A table of things to send, each with `id`, `project_id`, `due_at` and `claim_token`, `created_at` and partial indexes on
 * (lane, due_at) of the rows that are due some time and not claimed, and on (lane, series, created_at) of those that are due
 * some time. Names of our own making.
 */
export interface DueTable {
  readonly name: string;
  /** The column that tells where a row goes. */
  readonly lane: string;
  /** The column of what must arrive in order: rows of one lane and series are sent one after another. Null: in any order. */
  readonly series: string;
}

/** A row waits for earlier rows of its series for an hour at most. After that it is sent in any order. */
const MAX_HOLD_SECONDS = 3_600;

/** Whether row `a` is the first unfinished row of its series. */
export function isNext({ name, lane, series }: DueTable): string {
  return `(a.${series} IS NULL OR a.created_at < now() - interval '${MAX_HOLD_SECONDS} seconds' OR NOT EXISTS (
    SELECT 1 FROM ${name} e
    WHERE e.project_id = a.project_id AND e.${lane} = a.${lane} AND e.${series} = a.${series}
      AND e.due_at IS NOT NULL AND (e.created_at, e.id) < (a.created_at, a.id)))`;
}

/**
 * Unfinished rows of one lane that are sent in order. A claim reads each of them, so their number is bounded. Further rows
 * are sent in any order.
 */
const MAX_ORDERED = 500;

/**
 * SQL for whether one more row of a lane may be sent in order.
 * @param tenant SQL of the row's project
 * @param place SQL of the row's lane
 */
export function mayBeOrdered({ name, lane, series }: DueTable, tenant: string, place: string): string {
  return `(SELECT count(*) FROM (
    SELECT 1 FROM ${name} w
    WHERE w.project_id = ${tenant} AND w.${lane} = ${place} AND w.due_at IS NOT NULL AND w.${series} IS NOT NULL
    LIMIT ${MAX_ORDERED}) held) < ${MAX_ORDERED}`;
}

/** What is due for a deleted project is not sent any more. */
export function isLive(project: string): string {
  return `EXISTS (SELECT 1 FROM projects p WHERE p.id = ${project} AND p.deleted_at IS NULL)`;
}
