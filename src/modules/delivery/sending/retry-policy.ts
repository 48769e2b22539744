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

/**
 * Seconds to wait before the n-th retry (from 1). `random` in [0, 1) spreads retries that failed together; it only
 * adds, and the policy's maximum comes last. `atLeastSeconds` is what the receiver asked for, 0 when it did not.
 */
export function retryDelaySeconds(policy: RetryPolicy, n: number, random: number, atLeastSeconds = 0): number {
  const wait = waitOf(policy, n) * (1 + MOST_JITTER * random);
  return Math.min(Math.max(wait, atLeastSeconds), policy.maxDelaySeconds);
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
