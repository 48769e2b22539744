export const RETRY_STRATEGIES = ['fixed', 'linear', 'exponential'] as const;
export type RetryStrategy = (typeof RETRY_STRATEGIES)[number];

export interface RetryPolicy {
  readonly strategy: RetryStrategy;
  readonly baseDelaySeconds: number;
  /** No wait is longer, whatever asks for it. */
  readonly maxDelaySeconds: number;
  /** Retries after the first try. */
  readonly maxRetries: number;
}

/** The largest share of a wait that jitter adds to it. */
const MOST_JITTER = 0.1;

/** Bounds of the wait that a receiver asks for with 429. */
const MIN_ASKED_SECONDS = 1;
const MAX_ASKED_SECONDS = 86_400;

interface Asked {
  /** The wait that an answer asks for by `Retry-After`; null when it asks for none. */
  readonly retryAfterSeconds: number | null;
  readonly responseCode: number | null;
}

const NOTHING_ASKED: Asked = { retryAfterSeconds: null, responseCode: null };

/**
 * Seconds to wait before the n-th retry (from 1). `random` in [0, 1) spreads retries that failed together; it only
 * adds, and the policy's maximum comes last. A receiver that answers 429 knows when it takes more: its wait replaces that
 * of the policy, also when it is shorter. The wait of any other answer only makes the policy's longer.
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
      // 2^99 is no wait anybody means, and beyond the exact numbers.
      return n > 31 ? maxDelaySeconds : baseDelaySeconds * 2 ** (n - 1);
  }
}

const LONGEST_SECONDS = 31_536_000;

/**
 * Seconds that a `Retry-After` header asks for: delta seconds, or an HTTP date seen from `now` (that of the answer
 * where it has one, so that the clocks of both sides need not agree). Null for anything else; never negative.
 */
export function retryAfterSeconds(header: string | null | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Math.min(Number(text), LONGEST_SECONDS);
  // The date forms of HTTP all begin with the day's name; Date.parse alone takes a lot more.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(0, Math.ceil((at - now.getTime()) / 1_000)), LONGEST_SECONDS);
}
