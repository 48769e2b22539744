import { brokenRule } from '../../../../platform/http/fields/index.js';
import { type Range, rangeWindow } from '../../../tenancy/projects/index.js';

interface AskedWindow {
  readonly range: Range;
  readonly from_ts?: Date;
  readonly to_ts?: Date;
}

/** From the first instant up to but without the second; from_ts and to_ts win over the range. */
export function windowOf({ range, from_ts, to_ts }: AskedWindow, now: Date): { from: Date; to: Date } {
  if (from_ts !== undefined && to_ts !== undefined && from_ts > to_ts) {
    throw brokenRule(['query', 'to_ts'], 'to_ts must not be before from_ts', to_ts.toISOString());
  }
  // What is left open ends a little ahead, since the database's clock made the times that are compared.
  const to = to_ts ?? new Date(Math.max(now.getTime(), from_ts?.getTime() ?? 0) + AHEAD_MS);
  return { from: from_ts ?? rangeWindow(range, to_ts ?? now).from, to };
}

const AHEAD_MS = 3_600_000;
