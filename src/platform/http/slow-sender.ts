import { domainError } from './domain-error.js';

/** How slowly a body may arrive. */
export interface SlowSenderLimits {
  /** A sender that is silent for this time is refused. Each body also has this time in addition to `bytesPerSecond`. */
  readonly idleMs: number;
  /**
   * The minimum average rate after that time. Without it, one byte now and then would keep a connection open for ever.
   */
  readonly bytesPerSecond: number;
}

export const SLOW_SENDER_LIMITS: SlowSenderLimits = { idleMs: 30_000, bytesPerSecond: 16 * 1024 };

export class RequestTimeout extends domainError(408, 'Request Timeout') {}
