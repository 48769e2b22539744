import type { JobDefinition, JobQueue } from '../../../platform/queue/index.js';
import type { ClaimsWriter } from './claims.writer.js';
import type { ClaimedRow, Held } from './outbox-table.js';
import type { SendingLane, SlotLimits } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/** The names of an outbox in logs and metrics, its limits in this process, and its jobs. */
export interface SendingProfile<C extends ClaimedRow> {
  readonly log: {
    readonly context: string;
    /** The name of one row, as in `the result of attempt …`. */
    readonly row: string;
    /** The name of claims, as in `3 claims expired`. */
    readonly claims: string;
    /** The message for a poll or a claim that failed; its reason follows. */
    readonly trouble: string;
  };
  readonly metrics: {
    /** The prefix of metric names, as in `oes_delivery_backlog`. */
    readonly prefix: string;
    /** Singular and plural of what is sent, in the help texts of the metrics. */
    readonly one: string;
    readonly many: string;
    readonly labels: readonly string[];
    labelsOf(claimed: C): Readonly<Record<string, string>>;
  };
  /** Concurrent sends in this process. Sends mostly wait for the network, so these limits may be high. */
  readonly limits: SlotLimits;
  /** The job that polls for due rows. */
  readonly look: JobDefinition<{ wait: boolean }, { processed: number }>;
  /** Adds jobs to the queue that wake workers for lanes with due rows. */
  wake(lanes: readonly SendingLane[], queue: JobQueue): Promise<void>[];
}

/**
 * The interface between {@link SendingEngine} and one outbox. Each message is a table row, inserted in the transaction
 * that causes it. `X` is the type of an expired claim, `C` the type of a row that this process holds.
 */
export interface Outbox<X extends Held, C extends X & ClaimedRow> {
  readonly profile: SendingProfile<C>;
  readonly claims: ClaimsWriter<X, C>;

  /** Sends the row once, outside of any transaction. Failures of the receiver are an outcome and never reject. */
  send(claimed: C, deadlineMs: number): Promise<TryOutcome>;

  /** Stores evidence of a send whose claim had expired before its result came. Some outboxes have no such evidence. */
  recordLoss?(claimed: C, outcome: TryOutcome): Promise<void>;
}
