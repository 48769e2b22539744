import { type Coverage, type TimeWindow, wholeDays } from './coverage.js';
import { conditionsOf, type Dimension, type EventFilter, isEmptyFilter, type Parameters } from './event-filter.js';

/** What is counted, for one statement. */
export interface Count {
  readonly projectId: string;
  readonly coverage: Coverage;
  readonly now: Date;
  readonly filter: EventFilter;
  /** Columns of the result beside `events` and `errors`. */
  readonly dimensions: readonly Dimension[];
  /** Adds the column `bucket`, the UTC beginning of it. Minutes are in no rollup: for them the coverage has no hours. */
  readonly bucket?: Interval;
}

export const INTERVALS = ['minute', 'hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

/**
 * The counted hours and the rows of the edges as one relation of partial counts, which the caller sums up: events and
 * errors, negative where an hour reaches beyond the window. One statement reads both, and so one snapshot.
 */
export function countedRows(count: Count, parameters: Parameters): string {
  const { projectId, coverage, filter, dimensions, bucket } = count;
  const project = parameters.bind(projectId);
  const parts: string[] = [];
  const columns = (time: string): string[] => [
    ...dimensions,
    ...(bucket === undefined ? [] : [`date_bin('1 ${bucket}', ${time}, '1970-01-01T00:00:00Z') AS bucket`]),
  ];
  const counted = (table: string, time: string, window: TimeWindow, sign: 1 | -1 = 1): void => {
    parts.push(
      `SELECT ${[...columns(time), `${sign} * events`, `${sign} * errors`].join(', ')} FROM ${table}
       WHERE project_id = ${project} AND ${inWindow(time, window, parameters)}${conditionsOf(filter, parameters)}`,
    );
  };
  if (coverage.hours !== null) {
    if (dimensions.length === 0 && isEmptyFilter(filter)) counted('event_hours', 'hour', coverage.hours);
    else {
      const { days, hours } =
        bucket === 'hour'
          ? { days: null, hours: [{ ...coverage.hours, sign: 1 as const }] }
          : wholeDays(coverage.hours, count.now);
      if (days !== null) counted('event_facet_days', 'day', days);
      for (const rest of hours) counted('event_facet_hours', 'hour', rest, rest.sign);
    }
  }
  for (const edge of coverage.edges) {
    const keys = columns('"timestamp"');
    const groups = keys.map((_, index) => index + 1).join(', ');
    parts.push(
      `SELECT ${[...keys, `${edge.sign} * count(*)`, `${edge.sign} * count(*) FILTER (WHERE log_status >= 500)`].join(', ')}
       FROM events WHERE project_id = ${project} AND ${inWindow('"timestamp"', edge, parameters)}${conditionsOf(filter, parameters)}
       ${groups === '' ? '' : `GROUP BY ${groups}`}`,
    );
  }
  const names = [...dimensions, ...(bucket === undefined ? [] : ['bucket'])];
  return `(${parts.join('\nUNION ALL\n')}) AS counted (${[...names, 'events', 'errors'].join(', ')})`;
}

export function inWindow(column: string, { from, to }: TimeWindow, parameters: Parameters): string {
  return `${column} >= ${parameters.bind(from)} AND ${column} < ${parameters.bind(to)}`;
}
