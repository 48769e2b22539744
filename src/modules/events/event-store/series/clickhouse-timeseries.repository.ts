import { Injectable } from '@nestjs/common';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { fitIntoAddress, MOST_ADDRESS_KEYS } from '../reading/address-room.js';
import { clickHouseKeyed, plainDigits, toldKey } from '../aggregation/clickhouse-keys.js';
import { clickHouseQueryConditions, readProperties } from '../aggregation/clickhouse-query-conditions.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import { AggregatedEventsReader, type TailEvents } from '../aggregation/aggregated-events.reader.js';
import type { Keyed } from '../aggregation/keys.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';
import { clickHouseAggregationOf } from './clickhouse-aggregates.js';
import type { SeriesQuery, SeriesRow } from './series-query.js';
import { type ClickHouseSource, TimeseriesRepository } from './timeseries.repository.js';

/** The maximum number of groups that are transferred to PostgreSQL. Beyond it PostgreSQL answers alone. */
const MOST_ROWS = 100_000;

interface ClickHouseRow {
  /** The start of the bucket in epoch milliseconds. */
  readonly start: number;
  readonly key: string;
  /** 1 when ClickHouse cannot read some of the rows. */
  readonly unread: number;
  readonly [column: string]: unknown;
}

/** Counts of distinct values in the window, or in the previous window. */
interface UniqueRow {
  readonly is_now: number;
  readonly buckets: readonly (readonly [start: number, values: number])[];
  readonly of_all: number;
  readonly unread: number;
}

/** The replicated part of a series. */
export interface ClickHouseSeries {
  /**
   * Returns the time of the first event, replicated or not. Null when there are no events.
   * @returns undefined when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  first(): Promise<Date | null | undefined>;
  /**
   * Returns the whole series, including events that are not replicated yet. Only used for distinct values, which may be
   * too many to transfer.
   * @returns null when PostgreSQL has to answer alone; undefined when the series has to be computed from {@link source}
   * @throws QueryTooLong
   */
  rows(layout: BucketLayout): Promise<SeriesRow[] | null | undefined>;
  /**
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  source(layout: BucketLayout): Promise<ClickHouseSource | null>;
}

/** The parameters of reading a series from ClickHouse. */
interface SeriesRead {
  readonly query: AggregationQuery;
  readonly params: SeriesQuery;
  readonly tail: TailEvents;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

/**
 * Groups the replicated events of series in ClickHouse. PostgreSQL combines the groups with the events that are not
 * replicated yet.
 */
@Injectable()
export class ClickHouseTimeseriesRepository {
  constructor(
    private readonly aggregated: AggregatedEventsReader,
    private readonly series: TimeseriesRepository,
    private readonly clickHouse: ClickHouseEvents,
  ) {}

  /**
   * @param window covers all events that may be read
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  async begin(
    query: AggregationQuery,
    params: SeriesQuery,
    window: TimeWindow,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<ClickHouseSeries | null> {
    if (!this.clickHouse.isEnabled) return null;
    const tail = this.clickHouse.isCircuitOpen ? null : await this.aggregated.tailOf(query, window, snapshot, signal);
    if (tail === null) {
      this.clickHouse.countRead('postgres');
      return null;
    }
    const read: SeriesRead = { query, params, tail, snapshot, signal };
    return {
      first: async () => {
        const first = await this.first(read);
        if (first === undefined) this.clickHouse.countRead('postgres');
        return first;
      },
      rows: async (layout) => {
        const rows = await this.unique(read, layout);
        if (rows !== undefined) this.clickHouse.countRead(rows === null ? 'postgres' : 'clickhouse');
        return rows;
      },
      source: async (layout) => {
        const source = await this.source(read, layout);
        this.clickHouse.countRead(source === null ? 'postgres' : 'clickhouse');
        return source;
      },
    };
  }

  private async first(read: SeriesRead): Promise<Date | null | undefined> {
    const { query, tail, snapshot } = read;
    const { window } = query;
    const statement = new StatementValues();
    const events = clickHouseQueryConditions(query, window, [], tail.chosen, statement.bind);
    const rows = await this.rows<{ ms: number; events: number; unread: number }>(
      read,
      (
        replicated,
      ) => `toUnixTimestamp64Milli(min(e.timestamp)) AS ms, count() AS events, max(toUInt8(${events.unread})) AS unread
        FROM ${replicated} AS e WHERE ${events.matching}`,
      statement,
    );
    const [row] = rows ?? [];
    if (row === undefined || row.unread === 1) return undefined;
    const fromTail = await this.aggregated.firstOf(tail.events(window), snapshot);
    const first = row.events === 0 ? null : new Date(row.ms);
    if (first === null || fromTail === null) return first ?? fromTail;
    return fromTail < first ? fromTail : first;
  }

  private async unique(read: SeriesRead, layout: BucketLayout): Promise<SeriesRow[] | null | undefined> {
    const { query, params, tail, snapshot } = read;
    const { aggregate, field, splitBy } = params;
    if (aggregate !== 'unique' || field === undefined || splitBy !== undefined) return undefined;
    const events = tail.events(layout.span);
    const fromTail = await this.series.seen(events, layout, field, MOST_ADDRESS_KEYS + 1, snapshot);
    if (!fitIntoAddress(fromTail.map(({ key }) => key))) return undefined;
    const statement = new StatementValues();
    const { bind } = statement;
    const keyed = clickHouseKeyed(field, bind);
    const { matching, unread } = clickHouseQueryConditions(
      query,
      layout.span,
      readProperties(field, keyed),
      tail.chosen,
      bind,
    );
    const first = bind(layout.starts[layout.first]?.getTime() ?? 0, 'Int64');
    const places = new Map(layout.starts.map((start, index) => [start.getTime(), index]));
    const starts = fromTail.map(({ bucket }) => layout.starts[bucket]?.getTime() ?? 0);
    const rows = await this.rows<UniqueRow>(
      read,
      (
        replicated,
      ) => `is_now, groupArray((start, finalizeAggregation(seen))) AS buckets, uniqExactIfMerge(seen) AS of_all,
               max(unread_of_start) AS unread
        FROM (SELECT start, start >= ${first} AS is_now, uniqExactIfState(key, key != '') AS seen, max(unread) AS unread_of_start
              FROM (SELECT start, ${keyed.key('held')} AS key, unread FROM (
                      SELECT ${startSql(layout, bind)} AS start, ${keyed.value} AS held, max(toUInt8(${unread})) AS unread
                      FROM ${replicated} AS e WHERE ${matching} GROUP BY start, held)
                    UNION ALL
                    SELECT told.1 AS start, ${toldKey('told.2')} AS key, toUInt8(0) AS unread FROM (
                      SELECT arrayJoin(arrayZip(${bind(starts, 'Array(Int64)')}, ${bind(
                        fromTail.map(({ key }) => key),
                        'Array(String)',
                      )})) AS told))
              GROUP BY start)
        GROUP BY is_now`,
      statement,
    );
    if (rows === null || rows.some((row) => row.unread === 1)) return null;
    return rows.flatMap(({ is_now: isNow, buckets, of_all: ofAll }) => {
      if (isNow === 0 && !params.hasPrevious) return [];
      const row =
        isNow === 1
          ? ({ part: 'series', place: 1, key: null } as const)
          : ({ part: 'previous', place: null, key: null } as const);
      const points = buckets.map(([start, values]) => ({
        ...row,
        bucket: places.get(start) ?? 0,
        value: String(values),
      }));
      const total = { ...row, key: isNow === 1 ? '' : null, bucket: null, value: String(ofAll) };
      return [total, ...points];
    });
  }

  private async source(read: SeriesRead, layout: BucketLayout): Promise<ClickHouseSource | null> {
    const { query, params, tail } = read;
    const { aggregate, field, splitBy } = params;
    const statement = new StatementValues();
    const { bind } = statement;
    const aggregation = clickHouseAggregationOf(aggregate, field, bind);
    const split = splitBy === undefined ? UNSPLIT : clickHouseKeyed(splitBy, bind, plainDigits);
    const properties = [...readProperties(field, aggregation.read), ...readProperties(splitBy, split)];
    const events = clickHouseQueryConditions(query, layout.span, properties, tail.chosen, bind);
    const rows = await this.rows<ClickHouseRow>(
      read,
      (replicated) => `start, ${split.key('held')} AS key, ${aggregation.aggregated}, unread FROM (
          SELECT ${startSql(layout, bind)} AS start, ${split.value} AS held, ${aggregation.columns},
                 max(toUInt8(${events.unread} OR ${aggregation.inexact})) AS unread
          FROM ${replicated} AS e WHERE ${events.matching} GROUP BY ${['start', 'held', ...aggregation.grouped].join(', ')})
        LIMIT ${bind(MOST_ROWS + 1, 'UInt64')}`,
      statement,
    );
    if (rows === null || rows.length > MOST_ROWS || rows.some(({ unread }) => unread === 1)) return null;
    const places = new Map(layout.starts.map((start, index) => [start.getTime(), index]));
    return {
      type: 'clickHouse',
      buckets: rows.map(({ start }) => places.get(start) ?? 0),
      keys: rows.map(({ key }) => key),
      columns: Object.fromEntries(Object.keys(aggregation.taken).map((name) => [name, rows.map((row) => row[name])])),
      aggregation,
      events: tail.events(layout.span),
    };
  }

  private async rows<Row>(
    { query, tail, snapshot, signal }: SeriesRead,
    select: (replicated: string) => string,
    statement: StatementValues,
  ): Promise<Row[] | null> {
    try {
      const reading = { milliseconds: snapshot.deadline.left(), signal };
      return await this.clickHouse.rows<Row>(query.scope, tail.block, select, statement, reading);
    } catch (error) {
      throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
    }
  }
}

const UNSPLIT: Keyed = { value: `''`, key: () => `''` };

/** Returns SQL for the start of the bucket of an event `e`. */
function startSql({ starts }: BucketLayout, bind: BindValue): string {
  const ascending = bind(
    starts.map((start) => start.getTime()),
    'Array(Int64)',
  );
  return `roundDown(toUnixTimestamp64Milli(e.timestamp), ${ascending})`;
}
