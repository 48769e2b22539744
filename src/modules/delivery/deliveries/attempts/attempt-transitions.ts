import { retryDelaySeconds, type RetryPolicy, type TryOutcome } from '../../sending/index.js';
import type { AttemptKind, AttemptStatus, ClaimKind, RetryAuditStatus, StoredRetryState } from './attempt-states.js';

/** A claimed attempt; the counters already have this try in them. */
export interface ClaimedState {
  readonly kind: AttemptKind;
  /** Before the try. */
  readonly status: 'pending' | 'failed';
  readonly claim: ClaimKind;
  readonly retryCount: number;
  readonly tryNumber: number;
}

export interface NextState {
  readonly status: AttemptStatus;
  readonly retryState: StoredRetryState | null;
  /** When to try again, in seconds from now; null: never. */
  readonly delaySeconds: number | null;
  readonly retryCount: number;
  readonly tryNumber: number;
  readonly audit: Exclude<RetryAuditStatus, 'claimed'>;
}

/** A try that could not be made for a reason of our own is made again after this long. */
const UNAVAILABLE_SECONDS = 60;

/**
 * The life of an attempt: what becomes of a claimed one by the outcome of its try. The only place that decides it, for
 * workers, Retry Now and expired claims alike. `random` in [0, 1).
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

/** What the claim took of the automatic budget: an operator's retry takes nothing, nor does the first send. */
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
