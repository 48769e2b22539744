import { brokenRule, DateTimeField, EnumField, TextField, UuidField } from '../../../platform/http/validation/index.js';
import { type Range, RANGES, rangeWindow } from '../../tenancy/projects/index.js';
import type { TimeWindow } from '../event-store/index.js';

/** The year 1. No event is older, and PostgreSQL accepts no time before 4713 BC. */
export const EARLIEST_MS = -62_135_596_800_000;

/** The parameters of a request that select its time window. */
export class AskedWindow {
  @EnumField(RANGES, {
    optional: true,
    default: '24h',
    description:
      'The window that ends at to_ts, or now; all begins in 1970. Without effect where from_ts is given. No window begins before the events that are kept: answers with `from_ts` say where it began',
  })
  range!: Range;

  @DateTimeField({ optional: true, description: 'Inclusive beginning by event timestamp; wins over range' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Exclusive end by event timestamp; left out: now' })
  to_ts?: Date;
}

/** Every response over a window begins with these members: the project and the bounds that took effect. */
export class WindowResponse {
  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Of the project, as it is now' })
  project_name!: string;

  @DateTimeField({ description: 'Inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Exclusive' })
  to_ts!: string;
}

/**
 * Returns the window of a request. `from_ts` takes precedence over `range`. Without `from_ts`, the range ends at
 * `to_ts` or now.
 * @param place the part of the request with these fields, for the error about a window that ends before it begins
 */
export function windowOf({ range, from_ts, to_ts }: AskedWindow, now: Date, place: 'query' | 'body'): TimeWindow {
  if (from_ts !== undefined && to_ts !== undefined && from_ts > to_ts) {
    throw brokenRule([place, 'to_ts'], 'to_ts must not be before from_ts', to_ts.toISOString());
  }
  // Without to_ts the window ends now, with the current millisecond included.
  const end = new Date(now.getTime() + 1);
  const to = to_ts ?? (from_ts !== undefined && from_ts > end ? from_ts : end);
  const from = from_ts ?? rangeWindow(range, to).from;
  return { from: from > to ? to : from, to };
}

/** Returns whether the request selects all events: the range `all` without any bound. */
export function isAll({ range, from_ts, to_ts }: AskedWindow): boolean {
  return range === 'all' && from_ts === undefined && to_ts === undefined;
}

/** Returns the preceding window of the same length. It never begins before the year 1. */
export function windowBefore({ from, to }: TimeWindow): TimeWindow {
  return { from: new Date(Math.max(EARLIEST_MS, 2 * from.getTime() - to.getTime())), to: from };
}

/** Returns the members of a {@link WindowResponse}. */
export function windowHead(projectId: string, projectName: string, { from, to }: TimeWindow): WindowResponse {
  return {
    project_id: projectId,
    project_name: projectName,
    from_ts: from.toISOString(),
    to_ts: to.toISOString(),
  };
}
