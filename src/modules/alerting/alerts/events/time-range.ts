import { brokenRule } from '../../../../platform/http/validation/index.js';
import { type Range, rangeWindow } from '../../../tenancy/projects/index.js';

interface TimeRange {
  readonly range: Range;
  readonly from_ts?: Date;
  readonly to_ts?: Date;
}

/** Returns the time window, with `to` exclusive. `from_ts` and `to_ts` take precedence over `range`. */
export function windowOf({ range, from_ts, to_ts }: TimeRange, now: Date): { from: Date; to: Date } {
  if (from_ts !== undefined && to_ts !== undefined && from_ts > to_ts) {
    throw brokenRule(['query', 'to_ts'], 'to_ts must not be before from_ts', to_ts.toISOString());
  }
  // An open end lies an hour ahead, because the times that are compared come from the database clock.
  const to = to_ts ?? new Date(Math.max(now.getTime(), from_ts?.getTime() ?? 0) + AHEAD_MS);
  return { from: from_ts ?? rangeWindow(range, to_ts ?? now).from, to };
}

const AHEAD_MS = 3_600_000;
