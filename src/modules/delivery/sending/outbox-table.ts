import type { Traceparent } from '../../../platform/telemetry/index.js';
import type { Bind } from '../../../platform/database/parameters.js';
import type { SendingLane } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/** Identifies a claimed row when its result is stored. */
export interface Held {
  readonly id: string;
  readonly tenant: string;
  readonly token: string;
}

/** A row that this process has claimed. */
export interface ClaimedRow extends Held, SendingLane {
  /**
   * The end of the lease on the clock of `performance.now()`. The lease is counted from before the claim, so this is
   * never later than its end in the database.
   */
  readonly heldUntil: number;
  /** Rows of one lane and series are sent in order. Null: the row is sent in any order. */
  readonly series: string | null;
  /** The trace that the sends of the row continue. */
  readonly traceparent: Traceparent | null;
}

export interface Claimant {
  /** The name of the process, or `user:<id>` for an operator. */
  readonly owner: string;
  /** `worker`, or a further kind of claim that the table defines. */
  readonly kind: string;
  readonly leaseSeconds: number;
}

/** The state of a row after a send. */
export interface NextTry {
  readonly status: string;
  readonly retryCount: number;
  /** The seconds until the next send. Null when there is none. */
  readonly delaySeconds: number | null;
}

/** The SQL that one table adds to a statement. The columns of all outbox tables are written in any case. */
export interface Writing {
  /** Further columns, each as `name = value`. */
  readonly set: readonly string[];
  /** Further common table expressions, each after a comma, so that one statement writes the row and its evidence. */
  readonly evidence: string;
}

/** Columns to select, and the joins that follow the table. */
interface Reading {
  readonly columns: string;
  readonly joins: string;
}

/**
 * An outbox table. In addition to the columns of {@link DueTable} the table has `status`, `retry_count`, `claim_owner`,
 * `claim_expires_at`, `finished_token`, `completed_at`, `response_code`, `response_summary`, `failure_code` and
 * `failure_reason`, and an index on `claim_expires_at` of the claimed rows. No SQL here contains user input.
 */
export interface OutboxTable<X extends Held, C extends X & ClaimedRow> extends DueTable {
  /** Claim columns that only this table has; they become null when the claim ends. */
  readonly claimColumns: readonly string[];

  /**
   * Returns what a claim writes. `set` refers to the row as `a`; `evidence` reads whole rows from `claimed`.
   * @param most the largest number of rows that are claimed
   */
  claim(bind: Bind, claimant: Claimant, most: number): Writing;
  /** The columns that are read of a claimed row, with the alias `c`. */
  readonly claimed: Reading;
  /** The columns that are read of a row whose claim has expired, with the alias `a`. */
  readonly expired: Reading;

  /**
   * Returns the next state of a claimed row, and the SQL that stores it. `evidence` reads the id of the row from
   * `written`, which is empty when the claim was lost.
   */
  settle(bind: Bind, held: X, outcome: TryOutcome): Writing & { readonly next: NextTry };
  /** Returns the SQL that undoes the count of a claim. `evidence` reads `written` as in `settle`. */
  giveBack(bind: Bind, claimed: C): Writing;
}

/**
 * The part of an outbox table that finds due rows. The table has `id`, `project_id`, `due_at`, `claim_token`,
 * `created_at` and two partial indexes: on (lane, due_at) of the unclaimed rows with a `due_at`, and on (lane, series,
 * created_at) of all rows with a `due_at`. The names go into SQL as they are and never contain user input.
 */
export interface DueTable {
  readonly name: string;
  /** The column with the destination of a row. */
  readonly lane: string;
  /**
   * The column by which rows are ordered: rows of one lane with the same value are sent one after another. Rows where
   * it is null are sent in any order.
   */
  readonly series: string;
}

/** A row waits for earlier rows of its series for an hour at most. After that it is sent in any order. */
const MAX_HOLD_SECONDS = 3_600;

/** SQL for whether row `a` is the first unfinished row of its series, or need not wait for earlier rows. */
export function isNext({ name, lane, series }: DueTable): string {
  return `(a.${series} IS NULL OR a.created_at < now() - interval '${MAX_HOLD_SECONDS} seconds' OR NOT EXISTS (
    SELECT 1 FROM ${name} e
    WHERE e.project_id = a.project_id AND e.${lane} = a.${lane} AND e.${series} = a.${series}
      AND e.due_at IS NOT NULL AND (e.created_at, e.id) < (a.created_at, a.id)))`;
}

/**
 * Unfinished rows of one lane that are sent in order. A claim reads each of them, so their number is bounded. Further
 * rows are sent in any order.
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

/** SQL for whether the project is not deleted: due rows of a deleted project are not sent. */
export function isLive(project: string): string {
  return `EXISTS (SELECT 1 FROM projects p WHERE p.id = ${project} AND p.deleted_at IS NULL)`;
}
