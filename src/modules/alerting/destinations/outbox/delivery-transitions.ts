import { retryDelaySeconds, type RetryPolicy, type TryOutcome } from '../../../delivery/sending/index.js';

export const ALERT_DELIVERY_STATUSES = ['pending', 'retrying', 'sent', 'failed'] as const;
export type AlertDeliveryStatus = (typeof ALERT_DELIVERY_STATUSES)[number];

/** Tries in all; the fifth failure is the last (SERVICE 8.4). */
export const MOST_TRIES = 5;
/** However long a receiver asks to be left alone. */
const LONGEST_WAIT_SECONDS = 86_400;
/** Waits of 30, 60, 120 and 240 seconds, without jitter. */
const POLICY: RetryPolicy = {
  strategy: 'exponential',
  baseDelaySeconds: 30,
  maxDelaySeconds: LONGEST_WAIT_SECONDS,
  maxRetries: MOST_TRIES - 1,
};
/** A try that could not be made for a reason of our own is made again after this long. */
const UNAVAILABLE_SECONDS = 60;

/** A claimed delivery, before its try. */
export interface ClaimedDelivery {
  readonly status: 'pending' | 'retrying';
  /** Failed tries so far. */
  readonly retryCount: number;
}

export interface NextDelivery {
  readonly status: AlertDeliveryStatus;
  readonly retryCount: number;
  /** When to try again, in seconds from now; null: never. */
  readonly delaySeconds: number | null;
}

/**
 * The life of an alert delivery (SERVICE 3.4): what becomes of a claimed one by the outcome of its try. The only place
 * that decides it, for workers and expired claims alike.
 */
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
