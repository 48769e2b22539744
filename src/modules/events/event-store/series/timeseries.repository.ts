import { Injectable } from '@nestjs/common';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { Dimension } from '../totals/event-filter.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { addsUp, countedValue, aggregationOf } from './aggregates.js';
import type { SeriesQuery, SeriesRow } from './series-query.js';
import type { ClickHouseAggregation } from './clickhouse-aggregates.js';
import { keptKeySql } from '../aggregation/clickhouse-keys.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import { bucketSql, countedSql, type AggregateSource } from '../aggregation/aggregated-events.reader.js';
import { KEY_ORDER, keyedSql, shortKeySql } from '../aggregation/keys.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';

/** Groups of replicated events as one list for each column, and the events that PostgreSQL has to add. */
export interface ClickHouseSource {
  readonly type: 'clickHouse';
  readonly buckets: readonly number[];
  readonly keys: readonly string[];
  /** A list for each column name of `aggregation.taken`. */
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
  readonly aggregation: Pick<ClickHouseAggregation, 'taken' | 'kept'>;
  readonly events: MatchingEvents;
}

interface Base {
  /** The relation `base` with the bucket, the key and the columns that `value` aggregates. */
  readonly sql: string;
  readonly value: string;
}

/** Aggregates events by bucket and value. */
@Injectable()
export class TimeseriesRepository {
  /** Returns the distinct values of a field in each bucket, as keys. */
  seen(
    events: MatchingEvents,
    layout: BucketLayout,
    field: string,
    limit: number,
    snapshot: Snapshot,
  ): Promise<{ readonly bucket: number; readonly key: string }[]> {
    const parameters = new Parameters();
    const { bind } = parameters;
    const { value, key } = keyedSql(field, bind);
    return snapshot.rows(
      `SELECT bucket, ${key('held')} AS key FROM (
         SELECT DISTINCT ${bucketSql(layout, bind)} AS bucket, ${value} AS held
         FROM ${events(bind)} /* tenant: the events found are of one project */ LIMIT ${bind(limit)}) seen`,
      parameters,
    );
  }

  /**
   * Returns the series with their points, the sum of the other values, and the previous window. One statement reads
   * them all.
   */
  rows(
    query: AggregationQuery,
    source: AggregateSource | ClickHouseSource,
    layout: BucketLayout,
    params: SeriesQuery,
    snapshot: Snapshot,
  ): Promise<SeriesRow[]> {
    const parameters = new Parameters();
    const { sql, value } = baseOf(query, source, layout, params, parameters.bind);
    const first = parameters.bind(layout.first);
    const parts = [
      `SELECT 'series' AS part, place, key, NULL::int AS bucket, value::text FROM tops`,
      `SELECT 'series', place, NULL, bucket, (${value})::text FROM base JOIN tops USING (key)
       WHERE bucket >= ${first}::int GROUP BY place, bucket`,
    ];
    if (params.splitBy !== undefined && addsUp(params.aggregate)) {
      parts.push(
        `SELECT 'other', NULL, NULL, bucket, (${value})::text FROM base
         WHERE bucket >= ${first}::int AND key NOT IN (SELECT key FROM tops)
         GROUP BY GROUPING SETS ((bucket), ()) HAVING count(*) > 0`,
      );
    }
    if (params.hasPrevious) {
      parts.push(
        `SELECT 'previous', NULL, NULL, bucket, (${value})::text FROM base
         WHERE bucket < ${first}::int GROUP BY GROUPING SETS ((bucket), ()) HAVING count(*) > 0`,
      );
    }
    return snapshot.rows<SeriesRow>(
      `WITH base AS MATERIALIZED (${sql}),
       totals AS (SELECT key, ${value} AS value FROM base WHERE bucket >= ${first}::int GROUP BY key),
       tops AS MATERIALIZED (
         SELECT (row_number() OVER (ORDER BY value DESC NULLS LAST, ${KEY_ORDER}))::int AS place, key, value FROM totals
         ORDER BY place LIMIT ${parameters.bind(params.top)})
       ${parts.join('\nUNION ALL\n')}`,
      parameters,
    );
  }
}

function baseOf(
  query: AggregationQuery,
  source: AggregateSource | ClickHouseSource,
  layout: BucketLayout,
  { aggregate, field, splitBy }: SeriesQuery,
  bind: Bind,
): Base {
  if (source.type === 'counted') {
    const dimensions = splitBy === undefined ? [] : [splitBy as Dimension];
    const key = splitBy === undefined ? `''` : shortKeySql(splitBy);
    return {
      sql: `SELECT bucket, ${key} AS key, events, errors FROM (${countedSql(query, source, dimensions, bind)}) found`,
      value: countedValue(aggregate),
    };
  }
  const split = splitBy === undefined ? { value: `''`, key: () => `''` } : keyedSql(splitBy, bind);
  const { columns, merges, aggregated, value } = aggregationOf(aggregate, field, bind, source.type === 'clickHouse');
  const ofClickHouse = source.type === 'clickHouse' ? `${clickHouseSql(source, bind)} UNION ALL ` : '';
  return {
    sql: `${ofClickHouse}SELECT bucket, ${split.key('held')} AS key, ${aggregated} FROM (
            SELECT ${merges === 'equal' ? 'DISTINCT ' : ''}${bucketSql(layout, bind)} AS bucket, ${split.value} AS held, ${columns}
            FROM ${source.events(bind)} /* tenant: the events found are of one project */
            ${merges === 'all' ? 'GROUP BY 1, 2' : ''} OFFSET 0) aggregated`,
    value,
  };
}

function clickHouseSql({ buckets, keys, columns, aggregation: { taken, kept } }: ClickHouseSource, bind: Bind): string {
  const names = Object.keys(taken);
  const lists = names.map((name) => `${bind(columns[name])}::${taken[name]}[]`);
  return `SELECT bucket, ${keptKeySql('held')} AS key, ${kept}
    FROM unnest(${bind(buckets)}::int[], ${bind(keys)}::text[], ${lists.join(', ')}) AS replicated (bucket, held, ${names.join(', ')})`;
}
