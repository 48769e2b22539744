import type { ProjectId } from '../../../access/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import type { BucketCoverage, BucketEdge } from './bucket-coverage.js';
import type { ArchivedEdges } from './archived-edges.reader.js';
import { wholeDays } from './coverage.js';
import { conditionsOf, type Dimension, type EventFilter, isEmptyFilter } from './event-filter.js';

/** The parameters of a count by bucket in one statement. */
export interface BucketCount {
  readonly projectId: ProjectId;
  readonly coverage: BucketCoverage;
  readonly now: Date;
  readonly filter: EventFilter;
  /** The columns of the relation in addition to `bucket`, `events` and `errors`. */
  readonly dimensions: readonly Dimension[];
  /** The rows of edges that PostgreSQL lacks. Null when it has all. */
  readonly archived: ArchivedEdges | null;
}

/** The lint rule about tenants cannot read the condition inside the template. */
const TENANT = '/* tenant: edges are of one project */';

/**
 * Returns a relation of partial counts, which the caller sums up: `bucket`, the dimensions, `events` and `errors`.
 * Counts are negative where an hour or day extends beyond its bucket.
 */
export function countedBuckets(
  { projectId, coverage, now, filter, dimensions, archived }: BucketCount,
  bind: Bind,
): string {
  // The parameter is only bound when used, because a count of archived edges alone does not need it.
  let place: string | undefined;
  const project = (): string => (place ??= bind(projectId));
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
         WHERE project_id = ${project()} AND ${time} >= part."from" AND ${time} < part."to"${conditions} OFFSET 0) counted`,
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
  const groups = dimensions.length === 0 ? '' : `GROUP BY ${dimensions.join(', ')}`;
  const found = `SELECT part.bucket, ${dimensions.map((name) => `found.${name}, `).join('')}part.sign * found.events, part.sign * found.errors`;
  const [hotEdges, archivedEdges] = [false, true].map((isArchived) =>
    coverage.edges.filter((edge) => (archived?.has(edge) === true) === isArchived),
  ) as [BucketEdge[], BucketEdge[]];
  if (hotEdges.length > 0) {
    parts.push(
      `${found} FROM ${spansSql(hotEdges, bind)} CROSS JOIN LATERAL (
         SELECT ${names}count(*) AS events, count(*) FILTER (WHERE log_status >= 500) AS errors FROM events
         WHERE project_id = ${project()} AND "timestamp" >= part."from" AND "timestamp" < part."to"${conditions}
         ${groups} OFFSET 0) found`,
    );
  }
  if (archivedEdges.length > 0) {
    parts.push(
      `${found} FROM ${spansSql(archivedEdges, bind)} CROSS JOIN LATERAL (
         SELECT ${names}sum(n) AS events, coalesce(sum(n) FILTER (WHERE failed), 0) AS errors FROM archived_edges
         WHERE at >= part."from" AND at < part."to"${conditions} ${groups} OFFSET 0) found ${TENANT}`,
    );
  }
  const beside =
    archived === null
      ? ''
      : `WITH archived_edges AS MATERIALIZED (SELECT * FROM ${archived.sql(bind)} found ${TENANT}) `;
  const columns = `counted (bucket, ${names}events, errors)`;
  if (parts.length > 0) return `(${beside}${parts.join('\nUNION ALL\n')}) AS ${columns}`;
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
