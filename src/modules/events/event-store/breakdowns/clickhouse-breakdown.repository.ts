import { Injectable } from '@nestjs/common';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import { instantSql } from '../../fields/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { fitIntoAddress, MOST_ADDRESS_KEYS } from '../reading/address-room.js';
import { CLICKHOUSE_KEY_ORDER, clickHouseKeyed, toldKey } from '../aggregation/clickhouse-keys.js';
import { clickHouseQueryConditions, readProperties } from '../aggregation/clickhouse-query-conditions.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import type { TailEvents } from '../aggregation/aggregated-events.reader.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';
import type { BreakdownRow } from './breakdown-row.js';
import { BreakdownRepository, type KeyedRow } from './breakdown.repository.js';

interface ClickHouseRow {
  readonly key: string;
  readonly of_key: number;
  readonly errors_of_key: number;
  readonly previous_of_key: number;
  readonly of_all: number;
  readonly errors_of_all: number;
  readonly keys: number;
  /** 1 when ClickHouse cannot read some of the rows. */
  readonly unread: number;
}

/** Counts events by value in ClickHouse, and adds the counts of the events that only PostgreSQL has. */
@Injectable()
export class ClickHouseBreakdownRepository {
  constructor(
    private readonly breakdown: BreakdownRepository,
    private readonly clickHouse: ClickHouseEvents,
  ) {}

  /**
   * Returns the same rows as `BreakdownRepository`, computed from the events themselves.
   * @param tail the events after the watermark, which only PostgreSQL has; null when ClickHouse cannot answer
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  async rows(
    query: AggregationQuery,
    layout: BucketLayout,
    params: { readonly by: string; readonly limit: number },
    snapshot: Snapshot,
    signal: AbortSignal,
    tail: () => Promise<TailEvents | null>,
  ): Promise<BreakdownRow[] | null> {
    if (!this.clickHouse.isEnabled) return null;
    const rows = await this.split(query, layout, params, snapshot, signal, tail);
    this.clickHouse.countRead(rows === null ? 'postgres' : 'clickhouse');
    return rows;
  }

  private async split(
    query: AggregationQuery,
    layout: BucketLayout,
    { by, limit }: { readonly by: string; readonly limit: number },
    snapshot: Snapshot,
    signal: AbortSignal,
    tailOf: () => Promise<TailEvents | null>,
  ): Promise<BreakdownRow[] | null> {
    if (this.clickHouse.isCircuitOpen) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const keyed = clickHouseKeyed(by, bind);
    const tail = await tailOf();
    if (tail === null) return null;
    const events = clickHouseQueryConditions(query, layout.span, readProperties(by, keyed), tail.chosen, bind);
    const fromTail = await this.breakdown.keyed(
      query,
      tail.events(layout.span),
      layout,
      by,
      MOST_ADDRESS_KEYS + 1,
      snapshot,
    );
    if (!fitIntoAddress(fromTail.map(({ key }) => key))) return null;
    const now = layout.first === 0 ? 'true' : `e.timestamp >= ${instantSql(query.window.from, bind)}`;
    try {
      const found = await this.clickHouse.rows<ClickHouseRow>(
        query.scope,
        tail.block,
        (replicated) => `key, of_key, errors_of_key, previous_of_key, sum(of_key) OVER () AS of_all,
            sum(errors_of_key) OVER () AS errors_of_all, sum(toUInt64(key != '')) OVER () AS keys,
            max(unread_of_key) OVER () AS unread
          FROM (
            SELECT key, sum(part) AS of_key, sum(errors) AS errors_of_key, sum(previous) AS previous_of_key,
                     max(unread) AS unread_of_key FROM (
              SELECT ${keyed.key('held')} AS key, part, errors, previous, unread FROM (
                SELECT ${keyed.value} AS held, countIf(${now}) AS part, countIf(${now} AND e.log_status >= 500) AS errors,
                       countIf(NOT (${now})) AS previous, max(toUInt8(${events.unread})) AS unread
                FROM ${replicated} AS e WHERE ${events.matching} GROUP BY held)
              UNION ALL ${fromTailSql(fromTail, bind)})
            GROUP BY key HAVING of_key > 0 OR unread_of_key > 0)
          ORDER BY key = '' DESC, of_key DESC, ${CLICKHOUSE_KEY_ORDER} LIMIT ${bind(limit + 1, 'UInt64')}`,
        statement,
        { milliseconds: snapshot.deadline.left(), signal },
      );
      return found === null || found[0]?.unread === 1 ? null : rowsOf(found, limit);
    } catch (error) {
      throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
    }
  }
}

/** Returns a relation with the counts of PostgreSQL. Its keys have the form that ClickHouse uses. */
function fromTailSql(rows: readonly KeyedRow[], bind: BindValue): string {
  const numbers = (name: 'events' | 'errors' | 'previous'): string =>
    bind(
      rows.map((row) => row[name]),
      'Array(UInt64)',
    );
  const keys = bind(
    rows.map(({ key }) => key),
    'Array(String)',
  );
  return `SELECT ${toldKey('counted.1')} AS key, counted.2 AS part,
      counted.3 AS errors, counted.4 AS previous, toUInt8(0) AS unread
    FROM (SELECT arrayJoin(arrayZip(${keys}, ${numbers('events')}, ${numbers('errors')}, ${numbers('previous')})) AS counted)`;
}

/** When there are events without a value, their row comes first. */
function rowsOf(found: readonly ClickHouseRow[], limit: number): BreakdownRow[] {
  const [first] = found;
  if (first === undefined) return [];
  const { of_all: events, errors_of_all: errors, keys } = first;
  const rows: BreakdownRow[] = [{ part: 'total', key: null, events, errors, more: keys }];
  let items = 0;
  for (const { key, of_key, errors_of_key, previous_of_key } of found) {
    const counted = { events: of_key, errors: errors_of_key };
    if (key === '') rows.push({ part: 'missing', key: null, ...counted, more: 0 });
    else if ((items += 1) <= limit) rows.push({ part: 'item', key, ...counted, more: previous_of_key });
  }
  return rows;
}
