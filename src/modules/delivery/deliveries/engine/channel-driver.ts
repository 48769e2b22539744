import type { TryOutcome } from '../../sending/index.js';
import type { ClaimedAttempt } from './claims.repository.js';

export interface Delivered {
  readonly outcome: TryOutcome;
  /** Mail addresses that have taken the message by now; absent where a destination is one. */
  readonly deliveredTo?: readonly string[];
}

/** Sends one claimed attempt by one kind of channel. Never rejects for what the other side does. */
export interface ChannelDriver {
  /** @param deadlineMs what is left of the lease at most; the driver's own limit is shorter as a rule */
  deliver(attempt: ClaimedAttempt, deadlineMs: number): Promise<Delivered>;
}
