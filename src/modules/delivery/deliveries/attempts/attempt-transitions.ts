import { retryDelaySeconds, type RetryPolicy, type TryOutcome } from '../../sending/index.js';
import type { AttemptKind, AttemptStatus, ClaimKind, RetryAuditStatus, StoredRetryState } from './attempt-states.js';

/** The state of a claimed attempt. The counters include the claimed send. */
export interface ClaimedState {
  readonly kind: AttemptKind;
  /** The status before the send. */
  readonly status: 'pending' | 'failed';
  readonly claim: ClaimKind;
  readonly retryCount: number;
  readonly tryNumber: number;
}

export interface NextState {
  readonly status: AttemptStatus;
  readonly retryState: StoredRetryState | null;
  /** The seconds until the next send. Null when there is none. */
  readonly delaySeconds: number | null;
  readonly retryCount: number;
  readonly tryNumber: number;
  readonly audit: Exclude<RetryAuditStatus, 'claimed'>;
}

/** The wait before the next send, when nothing could be sent for a reason on our side. */
const UNAVAILABLE_SECONDS = 60;

/**
 * Returns the next state of a claimed attempt after a send. Workers, Retry Now and expired claims all use this
 * function. `random` in [0, 1) sets the jitter.
 */
export function nextState(
  state: ClaimedState,
  { kind: outcome, ...asked }: Pick<TryOutcome, 'kind' | 'retryAfterSeconds' | 'responseCode'>,
  policy: RetryPolicy,
  random: number,
): NextState {
  const { retryCount, tryNumber } = state;
  switch (outcome) {
    case 'sent':
      return { status: 'sent', retryState: null, delaySeconds: null, retryCount, tryNumber, audit: 'dispatched' };
    case 'permanent':
      return failedFor('terminal', retryCount, tryNumber, 'failed');
    case 'refused':
      return failedFor('terminal', retryCount - budgetOf(state), tryNumber - 1, 'skipped');
    case 'transient': {
      if (state.kind === 'test') return failedFor('retry_exhausted', retryCount, tryNumber, 'exhausted');
      if (retryCount >= policy.maxRetries) return failedFor('dlq', retryCount, tryNumber, 'exhausted');
      const delaySeconds = retryDelaySeconds(policy, retryCount + 1, random, asked);
      return { ...failedFor('scheduled_retry', retryCount, tryNumber, 'failed'), delaySeconds };
    }
    case 'unavailable': {
      const counters = { retryCount: retryCount - budgetOf(state), tryNumber: tryNumber - 1 };
      if (state.kind === 'test') {
        return failedFor('retry_exhausted', counters.retryCount, counters.tryNumber, 'skipped');
      }
      const delaySeconds = UNAVAILABLE_SECONDS;
      return state.status === 'pending'
        ? { status: 'pending', retryState: 'pending', delaySeconds, ...counters, audit: 'skipped' }
        : { status: 'failed', retryState: 'scheduled_retry', delaySeconds, ...counters, audit: 'skipped' };
    }
  }
}

/** Returns how many automatic retries the claim used: 0 for a first send and for Retry Now, 1 for any other retry. */
export function budgetOf({ status, claim }: Pick<ClaimedState, 'status' | 'claim'>): 0 | 1 {
  return status === 'failed' && claim !== 'retry_now' ? 1 : 0;
}

function failedFor(
  retryState: StoredRetryState,
  retryCount: number,
  tryNumber: number,
  audit: NextState['audit'],
): NextState {
  return { status: 'failed', retryState, delaySeconds: null, retryCount, tryNumber, audit };
}
