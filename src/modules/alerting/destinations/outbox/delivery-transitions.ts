import { retryDelaySeconds, type RetryPolicy, type TryOutcome } from '../../../delivery/sending/index.js';

export const ALERT_DELIVERY_STATUSES = ['pending', 'retrying', 'sent', 'failed'] as const;
export type AlertDeliveryStatus = (typeof ALERT_DELIVERY_STATUSES)[number];

/** A delivery is sent at most this many times: after the fifth failure it is not sent again. */
export const MOST_TRIES = 5;
/** The longest wait, even if a receiver requests a longer one. */
const LONGEST_WAIT_SECONDS = 86_400;
/** Waits of 30, 60, 120 and 240 seconds, without jitter. */
const POLICY: RetryPolicy = {
  strategy: 'exponential',
  baseDelaySeconds: 30,
  maxDelaySeconds: LONGEST_WAIT_SECONDS,
  maxRetries: MOST_TRIES - 1,
};
/** The wait before the next send, when nothing could be sent for a reason on our side. */
const UNAVAILABLE_SECONDS = 60;

/** The state of a claimed delivery before its send. */
export interface ClaimedDelivery {
  readonly status: 'pending' | 'retrying';
  /** The number of failed sends so far. */
  readonly retryCount: number;
}

export interface NextDelivery {
  readonly status: AlertDeliveryStatus;
  readonly retryCount: number;
  /** The seconds until the next send. Null when there is none. */
  readonly delaySeconds: number | null;
}

/** Returns the next state of a claimed delivery after a send. Workers and expired claims both use this function. */
export function nextDelivery(
  { status, retryCount }: ClaimedDelivery,
  { kind, ...asked }: Pick<TryOutcome, 'kind' | 'retryAfterSeconds' | 'responseCode'>,
): NextDelivery {
  switch (kind) {
    case 'sent':
      return { status: 'sent', retryCount, delaySeconds: null };
    case 'permanent':
      return { status: 'failed', retryCount: retryCount + 1, delaySeconds: null };
    case 'refused':
      return { status: 'failed', retryCount, delaySeconds: null };
    case 'unavailable':
      return { status, retryCount, delaySeconds: UNAVAILABLE_SECONDS };
    case 'transient': {
      const failures = retryCount + 1;
      if (failures >= MOST_TRIES) return { status: 'failed', retryCount: failures, delaySeconds: null };
      return { status: 'retrying', retryCount: failures, delaySeconds: retryDelaySeconds(POLICY, failures, 0, asked) };
    }
  }
}
