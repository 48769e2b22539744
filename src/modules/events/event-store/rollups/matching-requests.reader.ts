import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { FittingEvents } from '../candidates/fitting-events.reader.js';
import { copiedFieldReads } from '../../conditions/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { COPIED_SIZES } from '../places/copied-places.reader.js';
import { PLACE_COLUMNS } from '../places/event-places.js';
import { type CopiedQuestion, copiedQuestion } from '../questions/copied-question.js';
import { GatheredEventsReader } from '../questions/gathered-events.reader.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import { CopiedEventsReader, CopyReadTooLong } from '../reading/copied-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { EventFilter } from '../totals/event-filter.js';
import {
  copiedLookedSql,
  lookedColumns,
  type LookedEvents,
  type LookedGroup,
  type LookedLevel,
} from './looked.repository.js';
import type { ReadTime } from './read-time.js';
import { requestCondition, type RequestFilter } from './request-filter.js';
import { slowestFirst, type SlowPlace } from './slow-events.reader.js';

type Scope = Pick<ProjectScope, 'projectId'>;

interface Reading {
  /** Whether ClickHouse is read where it can answer. */
  readonly isAsked: boolean;
  readonly time: ReadTime;
  readonly tx: Db;
}

/** The requests of a window that are read, as events with a condition. */
interface RequestRowsQuery {
  readonly scope: Scope;
  readonly window: TimeWindow;
  readonly filter: EventFilter;
  readonly where: EventCondition;
}

interface CopiedRows<Row> {
  readonly rows: readonly Row[];
  /** The events that have to be added, because only PostgreSQL has them. */
  readonly beside: FittingEvents;
}

type Select = (copied: string, events: CopiedQuestion, bind: BindValue) => string;

/** Reads requests whose properties matter, because of a condition or because they are grouped by route. */
@Injectable()
export class MatchingRequestsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly copied: CopiedEventsReader,
  ) {}

  /**
   * Returns the requests of spans.
   * @param spans at least one, ascending, which have all requests between their ends
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async looked(
    scope: Scope,
    spans: readonly TimeWindow[],
    filter: RequestFilter,
    level: LookedLevel,
    reading: Reading,
  ): Promise<LookedEvents> {
    const window = { from: spans[0]?.from ?? new Date(0), to: spans.at(-1)?.to ?? new Date(0) };
    const query = { scope, window, filter: filter.event, where: requestCondition(filter) };
    const select: Select = (copied, { fitting, unread }) =>
      copiedLookedSql(spans, level, `${copied} AS e WHERE ${fitting}`, unread);
    const route = level === 'routes' ? copiedFieldReads('log.route') : [];
    const found = await this.fromCopy<LookedGroup>(query, select, reading, route);
    const columns = found && lookedColumns(found.rows);
    const looked = found && columns ? { columns, events: found.beside } : null;
    this.answered(looked, reading);
    const events = looked ?? { columns: null, events: await this.kept(query, reading) };
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
  ): Promise<SlowPlace[]> {
    const query = { scope, window, filter: filter.event, where: requestCondition(filter, minMs) };
    const select: Select = (copied, { fitting, unread }, bind) =>
      `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id, ${COPIED_SIZES}, e.log_latency_ms AS latency,
              toUInt8(${unread}) AS unread
       FROM ${copied} AS e WHERE ${fitting}
       ORDER BY unread DESC, e.log_latency_ms DESC, e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT ${bind(limit, 'UInt64')}`;
    const found = await this.fromCopy<CopiedPlace>(query, select, reading);
    const isWhole = found !== null && found.rows.every(({ unread }) => unread === 0);
    this.answered(isWhole ? found : null, reading);
    if (!isWhole) return this.slowestAmong(await this.kept(query, reading), limit, reading);
    const places = found.rows.map(({ ms, unread: _, ...place }) => ({ ...place, timestamp: new Date(ms) }));
    const beside = await this.slowestAmong(found.beside, limit, reading);
    return [...places, ...beside].sort(slowestFirst).slice(0, limit);
  }

  /**
   * Returns the time of the first request of a window, or null.
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async firstAt(scope: Scope, window: TimeWindow, filter: RequestFilter, reading: Reading): Promise<Date | null> {
    const query = { scope, window, filter: filter.event, where: requestCondition(filter) };
    const snapshot = this.snapshotOf(reading);
    const select: Select = (copied, { fitting, unread }) =>
      `toUnixTimestamp64Milli(min(e.timestamp)) AS ms, count() AS events, max(toUInt8(${unread})) AS unread
       FROM ${copied} AS e WHERE ${fitting}`;
    const found = await this.fromCopy<CopiedFirst>(query, select, reading);
    const [row] = found?.rows ?? [];
    if (found === null || row === undefined || row.unread === 1) {
      return this.gathered.firstOf(await this.kept(query, reading), snapshot);
    }
    const beside = await this.gathered.firstOf(found.beside, snapshot);
    if (row.events === 0) return beside;
    return beside === null ? new Date(row.ms) : new Date(Math.min(row.ms, beside.getTime()));
  }

  /** Selects the requests in PostgreSQL alone. @throws QueryTooLong, ArchiveUnavailable */
  private kept(query: RequestRowsQuery, { time: { deadline }, tx }: Reading): Promise<FittingEvents> {
    return this.gathered.events(query, query.window, { tx, deadline });
  }

  /**
   * @param properties SQL of the properties that the statement reads in addition to the condition
   * @returns null when PostgreSQL has to answer alone
   */
  private async fromCopy<Row>(
    query: RequestRowsQuery,
    select: Select,
    { isAsked, time, tx }: Reading,
    properties: readonly string[] = [],
  ): Promise<CopiedRows<Row> | null> {
    const { scope, window } = query;
    const { deadline, signal } = time;
    if (!isAsked || this.copied.isSilent) return null;
    const behind = await this.gathered.behindCopy(query, window, { tx, deadline }, signal);
    if (behind === null) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const events = copiedQuestion(query, window, properties, behind.chosen, bind);
    try {
      const text = (copied: string): string => select(copied, events, bind);
      const rows = await this.copied.rows<Row>(scope, behind.block, text, statement, time.bounds());
      return rows && { rows, beside: behind.events(window) };
    } catch (error) {
      throw error instanceof CopyReadTooLong ? new QueryTooLong() : error;
    }
  }

  /** Counts in the metrics which store has answered. */
  private answered(found: object | null, { isAsked }: Reading): void {
    if (isAsked) this.copied.answered(found === null ? 'postgres' : 'clickhouse');
  }

  private slowestAmong(events: FittingEvents, limit: number, reading: Reading): Promise<SlowPlace[]> {
    const parameters = new Parameters();
    return this.snapshotOf(reading).rows<SlowPlace>(
      `SELECT ${PLACE_COLUMNS}, log_latency_ms AS latency FROM ${events(parameters.bind)} /* tenant: they are of one project */
       ORDER BY log_latency_ms DESC, "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)}`,
      parameters,
    );
  }

  private snapshotOf({ time, tx }: Reading): Snapshot {
    return this.snapshots.of(tx, time.deadline, time.signal);
  }
}

interface CopiedPlace extends Omit<SlowPlace, 'timestamp'> {
  readonly ms: number;
  /** 1 when ClickHouse cannot read the row. Such rows come first. */
  readonly unread: number;
}

interface CopiedFirst {
  readonly ms: number;
  readonly events: number;
  /** 1 when ClickHouse cannot read one of the rows. */
  readonly unread: number;
}
