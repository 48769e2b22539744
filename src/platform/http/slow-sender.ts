import { domainError } from './domain-error.js';

/** How slowly a body may come. */
export interface SlowSenderLimits {
  /** Whoever sends nothing for so long is refused. Beside it everybody has so long, whatever they send. */
  readonly idleMs: number;
  /** What has to come on average beyond that: who sends a byte now and then keeps a connection for ever. */
  readonly bytesPerSecond: number;
}

export const SLOW_SENDER_LIMITS: SlowSenderLimits = { idleMs: 30_000, bytesPerSecond: 16 * 1024 };

export class RequestTimeout extends domainError(408, 'Request Timeout') {}
