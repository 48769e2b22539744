import type { JobDefinition, JobQueue } from '../../../platform/queue/index.js';
import type { ClaimsWriter } from './claims.writer.js';
import type { ClaimedRow, Held } from './outbox-table.js';
import type { Lane, SlotLimits } from './slots.js';
import type { TryOutcome } from './try-outcome.js';

/** What operators see of an outbox, and what of this process it may use. */
export interface SendingProfile<C extends ClaimedRow> {
  readonly log: {
    readonly context: string;
    /** One row, as in `the result of attempt …`. */
    readonly row: string;
    /** As in `3 claims expired`. */
    readonly claims: string;
    /** What is said of a look or a claim that failed; its reason follows. */
    readonly trouble: string;
  };
  readonly metrics: {
    /** Of the names, as in `delivery_backlog`. */
    readonly prefix: string;
    /** One thing to send and many, in the helps. */
    readonly one: string;
    readonly many: string;
    readonly labels: readonly string[];
    labelsOf(claimed: C): Readonly<Record<string, string>>;
  };
  /** Sends at a time in this process. They wait for the network, so there may be many. */
  readonly limits: SlotLimits;
  /** The job that looks for what is due. */
  readonly look: JobDefinition<{ wait: boolean }, { processed: number }>;
  /** Puts jobs into the queue that tell workers of lanes with something due. */
  wake(lanes: readonly Lane[], queue: JobQueue): Promise<void>[];
}

/**
 * Things to send, each a row of a table that is written in the transaction of its cause: what {@link SendingEngine} has to
 * know of them. X is what is read of a claim that has expired, C a row that this process holds.
 */
export interface Outbox<X extends Held, C extends X & ClaimedRow> {
  readonly profile: SendingProfile<C>;
  readonly claims: ClaimsWriter<X, C>;

  /** Sends it once, in no transaction. Never rejects for what the other side does. */
  send(claimed: C, deadlineMs: number): Promise<TryOutcome>;

  /** Keeps evidence of a try whose claim had expired before its result came, where the table has a place for it. */
  recordLoss?(claimed: C, outcome: TryOutcome): Promise<void>;
}
