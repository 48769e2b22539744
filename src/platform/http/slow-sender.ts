import { domainError } from './domain-error.js';

/** The limits for slowly arriving bodies. */
export interface SlowSenderLimits {
  /**
   * A sender that sends nothing for this time is refused. This time is added to the time that `bytesPerSecond` allows.
   */
  readonly idleMs: number;
  /** The minimum average rate. Without it, a sender of one byte now and then would keep a connection open for ever. */
  readonly bytesPerSecond: number;
}

export const SLOW_SENDER_LIMITS: SlowSenderLimits = { idleMs: 30_000, bytesPerSecond: 16 * 1024 };

export class RequestTimeout extends domainError(408, 'Request Timeout') {}
