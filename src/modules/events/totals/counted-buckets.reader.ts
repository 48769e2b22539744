import type { ProjectId } from '../../access/index.js';
import type { Bind } from '../../../platform/database/parameters.js';
import type { BucketCoverage, BucketEdge } from './bucket-coverage.js';
import { wholeDays } from './coverage.js';
import { conditionsOf, type Dimension, type EventFilter, isEmptyFilter } from './event-filter.js';

/** What is counted in buckets, for one statement. */
export interface BucketCount {
  readonly projectId: ProjectId;
  readonly coverage: BucketCoverage;
  readonly now: Date;
  readonly filter: EventFilter;
  /** Columns of the relation beside `bucket`, `events` and `errors`. */
  readonly dimensions: readonly Dimension[];
}

/**
 * Buckets as a relation of partial counts, which the caller sums up: `bucket`, the dimensions, `events` and `errors`,
 * negative where an hour or a day reaches beyond its bucket.
 */
export function countedBuckets({ projectId, coverage, now, filter, dimensions }: BucketCount, bind: Bind): string {
  const project = bind(projectId);
  const conditions = conditionsOf(filter, { bind });
  const names = dimensions.map((name) => `${name}, `).join('');
  const parts: string[] = [];
  const counted = (table: string, time: string, spans: readonly BucketEdge[]): void => {
    if (spans.length === 0) return;
    parts.push(
      `SELECT part.bucket, ${dimensions.map((name) => `counted.${name}, `).join('')}
              part.sign * counted.events, part.sign * counted.errors
       FROM ${spansSql(spans, bind)} CROSS JOIN LATERAL (
         SELECT ${names}events, errors FROM ${table}
         WHERE project_id = ${project} AND ${time} >= part."from" AND ${time} < part."to"${conditions} OFFSET 0) counted`,
    );
  };
  const hours = coverage.hours.map((part): BucketEdge => ({ ...part, sign: 1 }));
  if (dimensions.length === 0 && isEmptyFilter(filter)) counted('event_hours', 'hour', hours);
  else {
    const divided = hours.map((part) => ({ bucket: part.bucket, ...wholeDays(part, now) }));
    counted(
      'event_facet_days',
      'day',
      divided.flatMap(({ bucket, days }) => (days === null ? [] : [{ ...days, bucket, sign: 1 as const }])),
    );
    counted(
      'event_facet_hours',
      'hour',
      divided.flatMap(({ bucket, hours: rest }) => rest.map((part) => ({ ...part, bucket }))),
    );
  }
  if (coverage.edges.length > 0) {
    parts.push(
      `SELECT part.bucket, ${dimensions.map((name) => `found.${name}, `).join('')}part.sign * found.events, part.sign * found.errors
       FROM ${spansSql(coverage.edges, bind)} CROSS JOIN LATERAL (
         SELECT ${names}count(*) AS events, count(*) FILTER (WHERE log_status >= 500) AS errors FROM events
         WHERE project_id = ${project} AND "timestamp" >= part."from" AND "timestamp" < part."to"${conditions}
         ${dimensions.length === 0 ? '' : `GROUP BY ${dimensions.join(', ')}`} OFFSET 0) found`,
    );
  }
  const columns = `counted (bucket, ${names}events, errors)`;
  if (parts.length > 0) return `(${parts.join('\nUNION ALL\n')}) AS ${columns}`;
  const nothing = dimensions.map((name) => (name === 'source_id' ? 'NULL::uuid, ' : 'NULL::text, ')).join('');
  return `(SELECT 0, ${nothing}0, 0 WHERE false) AS ${columns}`;
}

function spansSql(spans: readonly BucketEdge[], bind: Bind): string {
  const column = (values: readonly unknown[], type: string): string => `${bind(values)}::${type}[]`;
  return `unnest(${column(
    spans.map(({ from }) => from),
    'timestamptz',
  )}, ${column(
    spans.map(({ to }) => to),
    'timestamptz',
  )},
    ${column(
      spans.map(({ bucket }) => bucket),
      'int',
    )}, ${column(
      spans.map(({ sign }) => sign),
      'int',
    )})
    AS part ("from", "to", bucket, sign)`;
}
