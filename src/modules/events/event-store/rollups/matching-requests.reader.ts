import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { clickHouseFieldReads } from '../../conditions/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { CLICKHOUSE_SIZES } from '../lists/clickhouse-list.reader.js';
import { LOCATOR_COLUMNS } from '../lists/event-locator.js';
import {
  type ClickHouseQueryConditions,
  clickHouseQueryConditions,
} from '../aggregation/clickhouse-query-conditions.js';
import { AggregatedEventsReader } from '../aggregation/aggregated-events.reader.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { EventFilter } from '../totals/event-filter.js';
import {
  clickHouseRawRequestsSql,
  rawRequestColumns,
  type RawRequests,
  type RawRequestGroup,
  type RequestGrouping,
} from './raw-requests.repository.js';
import type { ReadTime } from './read-time.js';
import { requestCondition, type RequestFilter } from './request-filter.js';
import { slowestFirst, type SlowLocator } from './slow-events.reader.js';

type Scope = Pick<ProjectScope, 'projectId'>;

interface Reading {
  /** Whether ClickHouse is read where it can answer. */
  readonly isEnabled: boolean;
  readonly time: ReadTime;
  readonly tx: Db;
}

/** Selects the requests of a window, as events that match a filter and a condition. */
interface RequestRowsQuery {
  readonly scope: Scope;
  readonly window: TimeWindow;
  readonly filter: EventFilter;
  readonly where: EventCondition;
}

interface ClickHouseRows<Row> {
  readonly rows: readonly Row[];
  /** The events that have to be added, because only PostgreSQL has them. */
  readonly fromTail: MatchingEvents;
}

type Select = (replicated: string, events: ClickHouseQueryConditions, bind: BindValue) => string;

/** Reads requests whose properties matter, because of a condition or because they are grouped by route. */
@Injectable()
export class MatchingRequestsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly aggregated: AggregatedEventsReader,
    private readonly clickHouse: ClickHouseEvents,
  ) {}

  /**
   * Returns the requests of spans.
   * @param spans at least one, ascending. No matching request lies between two spans
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async rawRequests(
    scope: Scope,
    spans: readonly TimeWindow[],
    filter: RequestFilter,
    level: RequestGrouping,
    reading: Reading,
  ): Promise<RawRequests> {
    const window = { from: spans[0]?.from ?? new Date(0), to: spans.at(-1)?.to ?? new Date(0) };
    const params = { scope, window, filter: filter.event, where: requestCondition(filter) };
    const select: Select = (replicated, { matching, unread }) =>
      clickHouseRawRequestsSql(spans, level, `${replicated} AS e WHERE ${matching}`, unread);
    const route = level === 'routes' ? clickHouseFieldReads('log.route') : [];
    const found = await this.fromClickHouse<RawRequestGroup>(params, select, reading, route);
    const columns = found && rawRequestColumns(found.rows);
    const rawRequests = found && columns ? { columns, events: found.fromTail } : null;
    this.countRead(rawRequests, reading);
    const events = rawRequests ?? { columns: null, events: await this.kept(params, reading) };
    await reading.time.limit();
    return events;
  }

  /**
   * Returns the slowest requests of a window, newest first when equal.
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async slowest(
    scope: Scope,
    window: TimeWindow,
    filter: RequestFilter,
    { minMs, limit }: { readonly minMs: number; readonly limit: number },
    reading: Reading,
  ): Promise<SlowLocator[]> {
    const params = { scope, window, filter: filter.event, where: requestCondition(filter, minMs) };
    const select: Select = (replicated, { matching, unread }, bind) =>
      `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id, ${CLICKHOUSE_SIZES}, e.log_latency_ms AS latency,
              toUInt8(${unread}) AS unread
       FROM ${replicated} AS e WHERE ${matching}
       ORDER BY unread DESC, e.log_latency_ms DESC, e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT ${bind(limit, 'UInt64')}`;
    const found = await this.fromClickHouse<ClickHouseLocator>(params, select, reading);
    const isWhole = found !== null && found.rows.every(({ unread }) => unread === 0);
    this.countRead(isWhole ? found : null, reading);
    if (!isWhole) return this.slowestAmong(await this.kept(params, reading), limit, reading);
    const locators = found.rows.map(({ ms, unread: _, ...locator }) => ({ ...locator, timestamp: new Date(ms) }));
    const fromTail = await this.slowestAmong(found.fromTail, limit, reading);
    return [...locators, ...fromTail].sort(slowestFirst).slice(0, limit);
  }

  /**
   * Returns the time of the first request of a window, or null.
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async firstAt(scope: Scope, window: TimeWindow, filter: RequestFilter, reading: Reading): Promise<Date | null> {
    const params = { scope, window, filter: filter.event, where: requestCondition(filter) };
    const snapshot = this.snapshotOf(reading);
    const select: Select = (replicated, { matching, unread }) =>
      `toUnixTimestamp64Milli(min(e.timestamp)) AS ms, count() AS events, max(toUInt8(${unread})) AS unread
       FROM ${replicated} AS e WHERE ${matching}`;
    const found = await this.fromClickHouse<ClickHouseFirst>(params, select, reading);
    const [row] = found?.rows ?? [];
    if (found === null || row === undefined || row.unread === 1) {
      return this.aggregated.firstOf(await this.kept(params, reading), snapshot);
    }
    const fromTail = await this.aggregated.firstOf(found.fromTail, snapshot);
    if (row.events === 0) return fromTail;
    return fromTail === null ? new Date(row.ms) : new Date(Math.min(row.ms, fromTail.getTime()));
  }

  /** Selects the requests in PostgreSQL alone. @throws QueryTooLong, ArchiveUnavailable */
  private kept(params: RequestRowsQuery, { time: { deadline }, tx }: Reading): Promise<MatchingEvents> {
    return this.aggregated.events(params, params.window, { tx, deadline });
  }

  /**
   * @param properties SQL of the properties that the statement reads in addition to the condition
   * @returns null when PostgreSQL has to answer alone
   */
  private async fromClickHouse<Row>(
    params: RequestRowsQuery,
    select: Select,
    { isEnabled, time, tx }: Reading,
    properties: readonly string[] = [],
  ): Promise<ClickHouseRows<Row> | null> {
    const { scope, window } = params;
    const { deadline, signal } = time;
    if (!isEnabled || this.clickHouse.isCircuitOpen) return null;
    const tail = await this.aggregated.tailOf(params, window, { tx, deadline }, signal);
    if (tail === null) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const events = clickHouseQueryConditions(params, window, properties, tail.chosen, bind);
    try {
      const text = (replicated: string): string => select(replicated, events, bind);
      const rows = await this.clickHouse.rows<Row>(scope, tail.block, text, statement, time.bounds());
      return rows && { rows, fromTail: tail.events(window) };
    } catch (error) {
      throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
    }
  }

  /** Counts in the metrics which store has answered. */
  private countRead(found: object | null, { isEnabled }: Reading): void {
    if (isEnabled) this.clickHouse.countRead(found === null ? 'postgres' : 'clickhouse');
  }

  private slowestAmong(events: MatchingEvents, limit: number, reading: Reading): Promise<SlowLocator[]> {
    const parameters = new Parameters();
    return this.snapshotOf(reading).rows<SlowLocator>(
      `SELECT ${LOCATOR_COLUMNS}, log_latency_ms AS latency FROM ${events(parameters.bind)} /* tenant: they are of one project */
       ORDER BY log_latency_ms DESC, "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)}`,
      parameters,
    );
  }

  private snapshotOf({ time, tx }: Reading): Snapshot {
    return this.snapshots.of(tx, time.deadline, time.signal);
  }
}

interface ClickHouseLocator extends Omit<SlowLocator, 'timestamp'> {
  readonly ms: number;
  /** 1 when ClickHouse cannot read the row. Such rows come first. */
  readonly unread: number;
}

interface ClickHouseFirst {
  readonly ms: number;
  readonly events: number;
  /** 1 when ClickHouse cannot read one of the rows. */
  readonly unread: number;
}
