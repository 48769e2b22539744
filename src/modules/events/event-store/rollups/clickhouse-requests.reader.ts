import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ArchiveUnavailable, ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { CLICKHOUSE_SIZES } from '../lists/clickhouse-list.reader.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import { inWindowsSql } from '../reading/windows-sql.js';
import type { TimeWindow } from '../totals/coverage.js';
import { TailReader, tailSql } from '../reading/tail.reader.js';
import { instantSql } from '../../fields/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { SlowEventsReader, slowestFirst, type SlowLocator } from './slow-events.reader.js';
import {
  clickHouseRawRequestsSql,
  rawRequestColumns,
  type RawRequests,
  type RawRequestGroup,
  type RequestGrouping,
} from './raw-requests.repository.js';
import { MatchingRequestsReader } from './matching-requests.reader.js';
import type { ReadTime } from './read-time.js';
import type { RollupPlan } from './rollup-plan.js';
import { clickHouseRequestConditions, isOfEvents, requestConditions, type RequestFilter } from './request-filter.js';

/** Below this number of events PostgreSQL is as fast. */
const FEWEST_EVENTS = 20_000;
/** With more ranges PostgreSQL is as fast, where it has the events. Adjacent spans are one range. */
const MOST_RANGES = 50;

interface ClickHouseLocator extends Omit<SlowLocator, 'timestamp'> {
  readonly ms: number;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/**
 * Reads requests from ClickHouse where PostgreSQL is slower or lacks events. Filters with a condition or a grouping by
 * route are always read through {@link MatchingRequestsReader}.
 */
@Injectable()
export class ClickHouseRequestsReader {
  /** Tests lower it. */
  fewestEvents = FEWEST_EVENTS;

  constructor(
    private readonly clickHouse: ClickHouseEvents,
    private readonly tail: TailReader,
    private readonly slow: SlowEventsReader,
    private readonly archived: ArchivedEventsReader,
    private readonly matching: MatchingRequestsReader,
  ) {}

  /**
   * Returns the events of a plan's spans.
   * @returns null when PostgreSQL reads the rows that match the conditions of the filter
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async rawRequests(
    scope: Scope,
    plan: RollupPlan,
    filter: RequestFilter,
    level: RequestGrouping,
    time: ReadTime,
    tx: Db,
  ): Promise<RawRequests | null> {
    const [first] = plan.spans;
    if (first === undefined) return null;
    const isArchived = await this.archived.isArchived(first);
    const isEnabled = isArchived || (this.clickHouse.isEnabled && plan.events >= this.fewestEvents);
    if (isOfEvents(filter)) return this.matching.rawRequests(scope, plan.spans, filter, level, { isEnabled, time, tx });
    if (!isEnabled) return null;
    const rawRequests = await this.read(scope, plan, filter, level, time, tx);
    if (rawRequests === null && isArchived) throw new ArchiveUnavailable();
    this.clickHouse.countRead(rawRequests === null ? 'postgres' : 'clickhouse');
    await time.limit();
    return rawRequests;
  }

  private async read(
    scope: Scope,
    { spans }: RollupPlan,
    filter: RequestFilter,
    level: RequestGrouping,
    time: ReadTime,
    tx: Db,
  ): Promise<RawRequests | null> {
    const ranges = rangesOf(spans);
    if (this.clickHouse.isCircuitOpen || (ranges.length > MOST_RANGES && !(await this.archived.isArchived(ranges[0]))))
      return null;
    const block = await this.tail.block(scope, tx);
    if (block === null) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const where = `${inWindowsSql(ranges, bind)}${clickHouseRequestConditions(filter, bind)}`;
    const rows = await this.rows<RawRequestGroup>(
      scope,
      block,
      (replicated) => clickHouseRawRequestsSql(spans, level, `${replicated} AS e WHERE ${where}`, 'false'),
      statement,
      time.bounds(),
    );
    const columns = rows && rawRequestColumns(rows);
    if (columns === null) return null;
    const whole = { from: spans[0]?.from ?? new Date(0), to: spans.at(-1)?.to ?? new Date(0) };
    return {
      columns,
      events: (bound) => tailSql(scope.projectId, whole, `true${requestConditions(filter, { bind: bound })}`, bound),
    };
  }

  /**
   * Returns the slowest requests of a window, newest first when equal. Includes events that are not replicated yet.
   * @param query `events` is the number of events in the window
   * @returns null when PostgreSQL reads all events of the window
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async slowest(
    scope: Scope,
    window: TimeWindow,
    filter: RequestFilter,
    query: { readonly minMs: number; readonly limit: number; readonly events: number },
    time: ReadTime,
    tx: Db,
  ): Promise<SlowLocator[] | null> {
    const isArchived = await this.archived.isArchived(window);
    const isEnabled = isArchived || (this.clickHouse.isEnabled && query.events >= this.fewestEvents);
    if (isOfEvents(filter)) return this.matching.slowest(scope, window, filter, query, { isEnabled, time, tx });
    if (!isEnabled) return null;
    const found = await this.slowestOf(scope, window, filter, query, time, tx);
    if (found === null && isArchived) throw new ArchiveUnavailable();
    this.clickHouse.countRead(found === null ? 'postgres' : 'clickhouse');
    await time.limit();
    return found;
  }

  private async slowestOf(
    scope: Scope,
    { from, to }: TimeWindow,
    filter: RequestFilter,
    { minMs, limit }: { readonly minMs: number; readonly limit: number },
    time: ReadTime,
    tx: Db,
  ): Promise<SlowLocator[] | null> {
    if (this.clickHouse.isCircuitOpen) return null;
    const block = await this.tail.block(scope, tx);
    if (block === null) return null;
    const fromTail = await this.slow.slowestOfTail(scope, { from, to }, filter, { minMs, limit }, tx);
    const statement = new StatementValues();
    const { bind } = statement;
    const rows = await this.rows<ClickHouseLocator>(
      scope,
      block,
      (
        replicated,
      ) => `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id, ${CLICKHOUSE_SIZES}, e.log_latency_ms AS latency
        FROM ${replicated} AS e WHERE e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}
          AND e.log_has_latency AND e.log_latency_ms >= ${bind(minMs, 'Int32')}${clickHouseRequestConditions(filter, bind)}
        ORDER BY e.log_latency_ms DESC, e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT ${bind(limit, 'UInt64')}`,
      statement,
      time.bounds(),
    );
    if (rows === null) return null;
    const locators = rows.map(({ ms, ...locator }) => ({ ...locator, timestamp: new Date(ms) }));
    return [...locators, ...fromTail].sort(slowestFirst).slice(0, limit);
  }

  /**
   * Returns the time of the first request of a window. Used when PostgreSQL may lack events of the window, or when the
   * filter has a condition or groups by route.
   * @returns null when there is none
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async firstAt(
    scope: Scope,
    { from, to }: TimeWindow,
    filter: RequestFilter,
    time: ReadTime,
    tx: Db,
  ): Promise<Date | null> {
    if (isOfEvents(filter)) return this.matching.firstAt(scope, { from, to }, filter, { isEnabled: true, time, tx });
    const replicated = await this.archived.endOf(
      scope,
      'first',
      (bind) => `${inWindowsSql([{ from, to }], bind)}${clickHouseRequestConditions(filter, bind)}`,
      tx,
      time.bounds(),
    );
    await time.limit();
    const fromTail = await this.slow.firstOfTail(scope, { from, to }, filter, tx);
    if (replicated === null || fromTail === null) return replicated ?? fromTail;
    return fromTail < replicated ? fromTail : replicated;
  }

  private async rows<Row>(
    scope: Scope,
    block: number,
    select: (replicated: string) => string,
    statement: StatementValues,
    bounds: ReadBounds,
  ): Promise<Row[] | null> {
    try {
      return await this.clickHouse.rows<Row>(scope, block, select, statement, bounds);
    } catch (error) {
      throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
    }
  }
}

/** @param spans ascending, without overlap */
function rangesOf(spans: readonly TimeWindow[]): TimeWindow[] {
  const ranges: TimeWindow[] = [];
  for (const span of spans) {
    const last = ranges.at(-1);
    if (last?.to.getTime() === span.from.getTime()) ranges[ranges.length - 1] = { from: last.from, to: span.to };
    else ranges.push(span);
  }
  return ranges;
}
