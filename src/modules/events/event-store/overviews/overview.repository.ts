import { Injectable } from '@nestjs/common';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import { bucketSql, countedSql, type AggregateSource } from '../aggregation/aggregated-events.reader.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { ClickHouseOverview } from './clickhouse-overview.repository.js';
import type { Snapshot } from '../aggregation/snapshots.js';

/** The fields that an overview groups events by. */
export const OVERVIEW_DIMENSIONS = ['event', 'source_id', 'severity'] as const;
const MOST_SEVERITIES = 100;
const TOP_EVENTS = 10;

export interface OverviewRow {
  readonly part: 'totals' | 'severity' | 'event';
  readonly bucket: number;
  readonly value: string | null;
  readonly events: number;
  readonly errors: number;
  /** The events of an event type in the previous window. */
  readonly previous: number;
  /** Only totals have these counts. */
  readonly types: number;
  readonly sources: number;
  /** Only totals that were read from events have percentiles and the newest timestamp. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly last_at: Date | null;
}

/** Adds up events by type, source and severity. */
@Injectable()
export class OverviewRepository {
  /** Returns the totals of both windows, and the severities and event types of the window, from one statement. */
  rows(
    query: AggregationQuery,
    source: AggregateSource | ClickHouseOverview,
    layout: BucketLayout,
    snapshot: Snapshot,
  ): Promise<OverviewRow[]> {
    const parameters = new Parameters();
    const base = baseOf(query, source, layout, parameters.bind);
    const first = parameters.bind(layout.first);
    const now = `FILTER (WHERE bucket = ${first}::int)`;
    const nothing = `0, 0, NULL::int, NULL::int, NULL::timestamptz`;
    return snapshot.rows<OverviewRow>(
      `WITH ${base},
       latencies AS (${latenciesOf(source, layout, parameters.bind)})
       SELECT 'totals' AS part, bucket, NULL AS value, sum(events)::float8 AS events, sum(errors)::float8 AS errors,
              0::float8 AS previous, count(DISTINCT event)::int AS types, count(DISTINCT source_id)::int AS sources,
              min(l.p50)::int AS p50, min(l.p95)::int AS p95, min(l.last_at) AS last_at
       FROM base LEFT JOIN latencies l USING (bucket) GROUP BY bucket
       UNION ALL (
         SELECT 'severity', ${first}::int, severity, sum(events)::float8, sum(errors)::float8, 0, ${nothing}
         FROM base WHERE bucket = ${first}::int GROUP BY severity
         ORDER BY 4 DESC, severity COLLATE "C" NULLS LAST LIMIT ${MOST_SEVERITIES})
       UNION ALL (
         SELECT 'event', ${first}::int, event, (sum(events) ${now})::float8, (sum(errors) ${now})::float8,
                coalesce(sum(events) FILTER (WHERE bucket < ${first}::int), 0)::float8, ${nothing}
         FROM base GROUP BY event HAVING sum(events) ${now} > 0
         ORDER BY 4 DESC, event COLLATE "C" LIMIT ${TOP_EVENTS})`,
      parameters,
    );
  }
}

function baseOf(
  query: AggregationQuery,
  source: AggregateSource | ClickHouseOverview,
  layout: BucketLayout,
  bind: Bind,
): string {
  if (source.type === 'counted') {
    return `base AS MATERIALIZED (${countedSql(query, source, OVERVIEW_DIMENSIONS, bind)})`;
  }
  if (source.type === 'clickHouse') {
    return `base AS MATERIALIZED (
              SELECT ${bucketSql(layout, bind)} AS bucket, event, source_id, severity, sum(n) AS events,
                     coalesce(sum(n) FILTER (WHERE failed), 0) AS errors
              FROM ${source.kinds.sql(source.events(bind), bind)} e GROUP BY 1, 2, 3, 4)`;
  }
  return `matched AS MATERIALIZED (
            SELECT ${bucketSql(layout, bind)} AS bucket, e.event, e.source_id, e.severity, e.log_status >= 500 AS failed,
                   CASE WHEN e.log_has_latency THEN e.log_latency_ms END AS latency, e."timestamp" AS at
            FROM ${source.events(bind)}),
          base AS MATERIALIZED (
            SELECT bucket, event, source_id, severity, count(*) AS events, count(*) FILTER (WHERE failed) AS errors
            FROM matched GROUP BY bucket, event, source_id, severity)`;
}

function latenciesOf(source: AggregateSource | ClickHouseOverview, layout: BucketLayout, bind: Bind): string {
  if (source.type === 'counted')
    return 'SELECT 0 AS bucket, NULL::int AS p50, NULL::int AS p95, NULL::timestamptz AS last_at WHERE false';
  if (source.type === 'clickHouse') {
    // By nearest rank, like percentile_disc.
    const rank = (quantile: number): string =>
      `min(latency) FILTER (WHERE up_to >= ceil(${quantile}::float8 * measured))`;
    return `SELECT bucket, ${rank(0.5)} AS p50, ${rank(0.95)} AS p95, max(last_at) AS last_at
            FROM (SELECT *, sum(n) OVER (PARTITION BY bucket, latency IS NULL ORDER BY latency) AS up_to,
                         sum(n) OVER (PARTITION BY bucket, latency IS NULL) AS measured
                  FROM (SELECT ${bucketSql(layout, bind)} AS bucket, latency, sum(n) AS n, max(last_at) AS last_at
                        FROM ${source.latencies.sql(source.events(bind), bind)} e /* tenant: they are of one project */
                        GROUP BY 1, 2) aggregated) ranked
            GROUP BY bucket`;
  }
  return `SELECT bucket, percentile_disc(0.5) WITHIN GROUP (ORDER BY latency) AS p50,
                 percentile_disc(0.95) WITHIN GROUP (ORDER BY latency) AS p95, max(at) AS last_at
          FROM matched GROUP BY bucket`;
}
