import { brokenRule, DateTimeField, EnumField, TextField, UuidField } from '../../../platform/http/fields/index.js';
import { type Range, RANGES, rangeWindow } from '../../tenancy/projects/index.js';
import type { TimeWindow } from '../event-store/index.js';

/** The year 1: no event is older, and the server takes no time before 4713 BC. */
const EARLIEST_MS = -62_135_596_800_000;

/** The window of a request as it is asked for (DECISIONS 11). */
export class AskedWindow {
  @EnumField(RANGES, {
    optional: true,
    default: '24h',
    description:
      'The window that ends at to_ts, or now; all begins in 1970. Without effect where from_ts is given. No window begins before the events that are kept: the answer says where it began',
  })
  range!: Range;

  @DateTimeField({ optional: true, description: 'Inclusive beginning by event timestamp; wins over range' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Exclusive end by event timestamp; left out: now' })
  to_ts?: Date;
}

/** How every answer over a window begins: whose events, and the bounds that took effect. */
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
 * The window of a request: from_ts and to_ts win over the range, which otherwise ends at to_ts or now.
 * @param place of the fields, for the refusal of a window that ends before it begins
 */
export function windowOf({ range, from_ts, to_ts }: AskedWindow, now: Date, place: 'query' | 'body'): TimeWindow {
  if (from_ts !== undefined && to_ts !== undefined && from_ts > to_ts) {
    throw brokenRule([place, 'to_ts'], 'to_ts must not be before from_ts', to_ts.toISOString());
  }
  // Left out, the end is now, this very millisecond included.
  const end = new Date(now.getTime() + 1);
  const to = to_ts ?? (from_ts !== undefined && from_ts > end ? from_ts : end);
  const from = from_ts ?? rangeWindow(range, to).from;
  return { from: from > to ? to : from, to };
}

/** Whether everything is asked about: a window without a beginning of its own. */
export function isAll({ range, from_ts, to_ts }: AskedWindow): boolean {
  return range === 'all' && from_ts === undefined && to_ts === undefined;
}

/** Of the same length, ending where this one begins. */
export function windowBefore({ from, to }: TimeWindow): TimeWindow {
  return { from: new Date(Math.max(EARLIEST_MS, 2 * from.getTime() - to.getTime())), to: from };
}

/** The members of a {@link WindowResponse}. */
export function windowHead(projectId: string, projectName: string, { from, to }: TimeWindow): WindowResponse {
  return {
    project_id: projectId,
    project_name: projectName,
    from_ts: from.toISOString(),
    to_ts: to.toISOString(),
  };
}
