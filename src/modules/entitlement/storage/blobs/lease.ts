import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { LEASE_SECONDS } from './blobs.repository.js';

const PROLONG_MS = 5_000;
const LEASE_MS = LEASE_SECONDS * 1_000;

/** The right to write, valid as long as it is prolonged. */
export interface Lease {
  /** Aborts when the right is lost: nothing may be written from then on. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Prolongs a lease until it is ended. The lease is also lost when the database is unreachable for as long as the lease
 * lasts, because another process may hold the right by then.
 * @param prolong returns false when the right is lost
 */
export function hold(prolong: () => Promise<boolean>): Lease {
  const lost = new AbortController();
  const lose = (): void => lost.abort(new ServiceOverloaded());
  let end = setTimeout(lose, LEASE_MS).unref();
  const ask = async (): Promise<void> => {
    const askedAt = performance.now();
    const isOurs = await prolong().catch(() => null);
    if (isOurs === false) lose();
    if (isOurs !== true) return;
    clearTimeout(end);
    if (!isOver) end = setTimeout(lose, Math.max(0, LEASE_MS - (performance.now() - askedAt))).unref();
  };
  let isOver = false;
  const again = setInterval(() => void ask(), PROLONG_MS).unref();
  return {
    signal: lost.signal,
    end: () => {
      isOver = true;
      clearInterval(again);
      clearTimeout(end);
    },
  };
}
