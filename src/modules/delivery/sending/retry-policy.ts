export const RETRY_STRATEGIES = ['fixed', 'linear', 'exponential'] as const;
export type RetryStrategy = (typeof RETRY_STRATEGIES)[number];

export interface RetryPolicy {
  readonly strategy: RetryStrategy;
  readonly baseDelaySeconds: number;
  /** The longest wait; it also bounds the wait that a receiver requests. */
  readonly maxDelaySeconds: number;
  /** The maximum number of retries after the first send. */
  readonly maxRetries: number;
}

/** The largest jitter, as a share of the wait that it is added to. */
const MOST_JITTER = 0.1;

/** Bounds of the wait that a receiver requests with 429. */
const MIN_ASKED_SECONDS = 1;
const MAX_ASKED_SECONDS = 86_400;

interface Asked {
  /** The wait that an answer requests by `Retry-After`; null when it requests none. */
  readonly retryAfterSeconds: number | null;
  readonly responseCode: number | null;
}

const NOTHING_ASKED: Asked = { retryAfterSeconds: null, responseCode: null };

/**
 * Returns the seconds to wait before retry `n`, from 1. `random` in [0, 1) sets the jitter, which spreads retries of
 * sends that failed together and only lengthens the wait. The wait requested by a 429 replaces the wait of the policy,
 * even when shorter. The wait requested by any other answer only lengthens it. The policy's maximum is applied last.
 */
export function retryDelaySeconds(policy: RetryPolicy, n: number, random: number, asked = NOTHING_ASKED): number {
  const { retryAfterSeconds, responseCode } = asked;
  const own = waitOf(policy, n) * (1 + MOST_JITTER * random);
  const wait =
    responseCode === 429 && retryAfterSeconds !== null
      ? Math.min(Math.max(retryAfterSeconds, MIN_ASKED_SECONDS), MAX_ASKED_SECONDS)
      : Math.max(own, retryAfterSeconds ?? 0);
  return Math.min(wait, policy.maxDelaySeconds);
}

function waitOf({ strategy, baseDelaySeconds, maxDelaySeconds }: RetryPolicy, n: number): number {
  switch (strategy) {
    case 'fixed':
      return baseDelaySeconds;
    case 'linear':
      return baseDelaySeconds * n;
    case 'exponential':
      // From the 32nd retry on, every wait is above any maximum. The number of retries goes up to 100, and 2^99 is no
      // safe integer.
      return n > 31 ? maxDelaySeconds : baseDelaySeconds * 2 ** (n - 1);
  }
}

const LONGEST_SECONDS = 31_536_000;

/**
 * Returns the seconds that a `Retry-After` header requests, never negative; null when it is neither delta seconds nor
 * an HTTP date. A date is relative to `now`, which is the `Date` of the answer where it has one: the clocks of both
 * sides need not agree.
 */
export function retryAfterSeconds(header: string | null | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Math.min(Number(text), LONGEST_SECONDS);
  // All date forms of HTTP begin with the name of the day. Date.parse would accept many other forms.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(0, Math.ceil((at - now.getTime()) / 1_000)), LONGEST_SECONDS);
}
