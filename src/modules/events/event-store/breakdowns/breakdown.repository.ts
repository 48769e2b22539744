import { Injectable } from '@nestjs/common';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { Dimension } from '../totals/event-filter.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import { countedSql, type AggregateSource } from '../aggregation/aggregated-events.reader.js';
import { KEY_ORDER, keyedSql, shortKeySql } from '../aggregation/keys.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';
import type { BreakdownRow } from './breakdown-row.js';

/** The events of one value, in the window and in the previous window. */
export interface KeyedRow {
  readonly key: string;
  readonly events: number;
  readonly errors: number;
  readonly previous: number;
}

/** Adds up events by value. */
@Injectable()
export class BreakdownRepository {
  /**
   * Returns the total, the events without a value, and the first values in their order. One statement reads them all.
   */
  rows(
    query: AggregationQuery,
    source: AggregateSource,
    layout: BucketLayout,
    { by, limit }: { readonly by: string; readonly limit: number },
    snapshot: Snapshot,
  ): Promise<BreakdownRow[]> {
    const parameters = new Parameters();
    const base = baseOf(query, source, layout, by, parameters.bind);
    return snapshot.rows<BreakdownRow>(
      `WITH found AS MATERIALIZED (
         SELECT key, sum(events)::float8 AS events, sum(errors)::float8 AS errors, sum(previous)::float8 AS previous
         FROM (${base}) base GROUP BY key HAVING sum(events) > 0)
       SELECT 'total' AS part, NULL AS key, coalesce(sum(events), 0) AS events, coalesce(sum(errors), 0) AS errors,
              (count(*) FILTER (WHERE key <> ''))::float8 AS more FROM found
       UNION ALL SELECT 'missing', NULL, events, errors, 0 FROM found WHERE key = ''
       UNION ALL (SELECT 'item', key, events, errors, previous FROM found WHERE key <> ''
                  ORDER BY events DESC, ${KEY_ORDER} LIMIT ${parameters.bind(limit)})`,
      parameters,
    );
  }

  /** Returns the values of some events, in no order. */
  keyed(
    query: AggregationQuery,
    events: MatchingEvents,
    layout: BucketLayout,
    by: string,
    limit: number,
    snapshot: Snapshot,
  ): Promise<KeyedRow[]> {
    const parameters = new Parameters();
    const base = baseOf(query, { type: 'events', events }, layout, by, parameters.bind);
    return snapshot.rows<KeyedRow>(
      `SELECT key, sum(events)::float8 AS events, sum(errors)::float8 AS errors, sum(previous)::float8 AS previous
       FROM (${base}) base GROUP BY key LIMIT ${parameters.bind(limit)}`,
      parameters,
    );
  }
}

/**
 * Returns rows by key. A key may have several rows. Each row counts the events and errors of the window, and the events
 * of the previous window.
 */
function baseOf(
  query: AggregationQuery,
  source: AggregateSource,
  layout: BucketLayout,
  by: string,
  bind: Bind,
): string {
  if (source.type === 'counted') {
    const counted = countedSql(query, source, [by as Dimension], bind);
    const now = `bucket = ${bind(layout.first)}::int`;
    const sum = (name: string, when: string): string => `CASE WHEN ${when} THEN ${name} ELSE 0 END`;
    return `SELECT ${shortKeySql(by)} AS key, ${sum('events', now)} AS events, ${sum('errors', now)} AS errors,
                   ${sum('events', `NOT ${now}`)} AS previous FROM (${counted}) counted`;
  }
  const { value, key } = keyedSql(by, bind);
  // The windows are not part of GROUP BY. PostgreSQL sorts what it groups by when it cannot estimate the number of
  // values.
  const now = layout.first === 0 ? 'true' : `e."timestamp" >= ${bind(query.window.from)}::timestamptz`;
  return `SELECT ${key('held')} AS key, events, errors, previous FROM (
            SELECT ${value} AS held, count(*) FILTER (WHERE ${now}) AS events,
                   count(*) FILTER (WHERE ${now} AND e.log_status >= 500) AS errors,
                   count(*) FILTER (WHERE NOT ${now}) AS previous
            FROM ${source.events(bind)} /* tenant: the events found are of one project */ GROUP BY 1) aggregated`;
}
