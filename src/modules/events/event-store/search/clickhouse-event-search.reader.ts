import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import { FairSemaphore, within } from '../../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Search, SearchTime, SearchWords } from '../../../tenancy/search-sources/index.js';
import { ClickHouseEvents, ClickHouseUnavailable, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import type { Locator } from '../lists/cursor.js';
import { RetainedEvents } from '../retention/retained-events.js';
import type { TimeWindow } from '../totals/coverage.js';
import { TailReader } from '../reading/tail.reader.js';
import { instantSql } from '../../fields/index.js';
import { clickHouseSearchSql } from './clickhouse-search-sql.js';
import { MOST_ENDPOINT, type SearchedEvent, type SearchedStretch } from './event-search.reader.js';
import { type CountedHour, ScanStretches, MOST_HOURS } from './scan-stretches.js';

/** Limits the searches that run at once, per process and per project. Without a free slot PostgreSQL answers. */
const QUICK_SLOTS = { parallel: 4, maxPerKey: 2, maxQueued: 0 };

const COLUMNS = `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id, toString(e.event) AS event,
  toString(e.source) AS source, e.message AS message, e.external_event_id AS "externalEventId",
  substringUTF8(e.log_endpoint, 1, ${MOST_ENDPOINT}) AS endpoint`;
const SEARCHED = {
  id: 'toString(e.id)',
  texts: [
    'e.event',
    'e.source',
    `ifNull(e.message, '')`,
    `ifNull(e.external_event_id, '')`,
    `substringUTF8(e.log_endpoint, 1, ${MOST_ENDPOINT})`,
  ],
} as const;

type Scope = Pick<ProjectScope, 'projectId'>;

/** The last replicated block, from a snapshot of PostgreSQL that also sees the events after it. */
export interface ReplicaSnapshot {
  readonly block: number;
  /** The window without the time before the start of retention. ClickHouse may still have such events. */
  readonly window: TimeWindow;
}

interface ClickHouseRow extends Omit<SearchedEvent, 'timestamp'> {
  readonly ms: number;
}

export interface ClickHouseType {
  readonly event: string;
  /** The timestamp of the newest event in epoch milliseconds. */
  readonly ms: number;
}

/**
 * Searches replicated events in ClickHouse. A caller waits at most for the time limit of the read, and then gets
 * ClickHouseTimeout. The reader continues to wait, so that it detects a server that does not answer.
 */
@Injectable()
export class ClickHouseEventSearchReader {
  /** The time limit of a search for which PostgreSQL has an index. Tests on a busy machine raise it. */
  quickMs = 2_000;

  private readonly quickSlots = new FairSemaphore(QUICK_SLOTS);

  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseEvents,
    private readonly tail: TailReader,
    private readonly retained: RetainedEvents,
  ) {}

  get isEnabled(): boolean {
    return this.clickHouse.isEnabled;
  }

  /** Counts in the metrics which store has answered. */
  countRead(store: 'clickhouse' | 'postgres'): void {
    this.clickHouse.countRead(store);
  }

  /** @returns null when PostgreSQL has to answer alone */
  async moment(scope: Scope, { from, to }: TimeWindow, tx: Db): Promise<ReplicaSnapshot | null> {
    if (!this.clickHouse.isEnabled || this.clickHouse.isCircuitOpen) return null;
    const retainedFrom = await this.retained.from();
    const block = await this.tail.block(scope, tx);
    if (block === null) return null;
    return { block, window: { from: retainedFrom !== null && retainedFrom > from ? retainedFrom : from, to } };
  }

  /**
   * Runs a search for which PostgreSQL has an index. At most half of the time is spent in ClickHouse.
   * @param ask runs the search within the given limits
   * @returns null when PostgreSQL has to answer; its statements then have the remaining time
   */
  async quickly<T>(
    scope: Scope,
    window: TimeWindow,
    time: SearchTime,
    tx: Db,
    ask: (moment: ReplicaSnapshot, bounds: ReadBounds) => Promise<T>,
  ): Promise<T | null> {
    if (!this.clickHouse.isEnabled) return null;
    const giveUpAt = performance.now() + time.milliseconds;
    const bounds = { ...time, milliseconds: Math.ceil(Math.min(this.quickMs, time.milliseconds / 2)) };
    const found = await this.quickSlots.runNow(scope.projectId, async () => {
      const moment = await this.moment(scope, window, tx);
      if (moment === null) return null;
      try {
        return await ask(moment, bounds);
      } catch (error) {
        if (error instanceof ClickHouseUnavailable || error instanceof ClickHouseTimeout) return null;
        throw error;
      }
    });
    this.clickHouse.countRead(found === null ? 'postgres' : 'clickhouse');
    await this.database.limit(tx, Math.max(1, Math.ceil(giveUpAt - performance.now())));
    return found;
  }

  /**
   * Returns the last of the next `rows` rows, or null when there are fewer.
   * @throws ClickHouseUnavailable, ClickHouseTimeout
   */
  async end(
    scope: Scope,
    { block, window }: ReplicaSnapshot,
    before: Locator | null,
    rows: number,
    bounds: ReadBounds,
  ): Promise<Locator | null> {
    const statement = new StatementValues();
    const { bind } = statement;
    const [end] = await this.rows<{ ms: number; id: string }>(
      scope,
      block,
      (replicated) => `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id
        FROM ${replicated} AS e WHERE ${placed(window, { before, end: null }, bind)}
        ORDER BY e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT 1 OFFSET ${bind(rows - 1, 'UInt64')}`,
      statement,
      bounds,
    );
    return end === undefined ? null : { timestamp: new Date(end.ms), id: end.id };
  }

  /**
   * Counts the events of each hour.
   * @throws ClickHouseUnavailable, ClickHouseTimeout
   */
  async hours(scope: Scope, { block, window }: ReplicaSnapshot, bounds: ReadBounds): Promise<ScanStretches> {
    const statement = new StatementValues();
    const { bind } = statement;
    const hours = await this.rows<CountedHour>(
      scope,
      block,
      (replicated) => `intDiv(toUnixTimestamp64Milli(e.timestamp), 3600000) AS hour, count() AS events
        FROM ${replicated} AS e WHERE ${inWindow(window, bind)}
        GROUP BY hour ORDER BY hour DESC LIMIT ${bind(MOST_HOURS, 'UInt64')}`,
      statement,
      bounds,
    );
    return new ScanStretches(hours);
  }

  /**
   * Returns the best matches of a stretch, at most `limit`.
   * @throws ClickHouseUnavailable, ClickHouseTimeout
   */
  best(
    scope: Scope,
    words: SearchWords,
    { block, window }: ReplicaSnapshot,
    stretch: SearchedStretch,
    limit: number,
    bounds: ReadBounds,
  ): Promise<SearchedEvent[]> {
    return this.events(scope, block, bounds, (bind) => {
      const { fits, rank } = clickHouseSearchSql(SEARCHED, words, bind);
      return `WHERE ${placed(window, stretch, bind)} AND ${fits}
        ORDER BY ${rank} DESC, e.timestamp DESC, UUIDToNum(e.id) LIMIT ${bind(limit, 'UInt64')}`;
    });
  }

  /**
   * Returns the newest events of these types, at most `limit`. Reads in the order of the rows, so that it can stop
   * early.
   * @throws ClickHouseUnavailable, ClickHouseTimeout
   */
  newestOf(
    scope: Scope,
    { block, window }: ReplicaSnapshot,
    types: readonly string[],
    limit: number,
    bounds: ReadBounds,
  ): Promise<SearchedEvent[]> {
    return this.events(
      scope,
      block,
      bounds,
      (bind) => `WHERE ${inWindow(window, bind)} AND e.event IN ${bind(types, 'Array(String)')}
        ORDER BY e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT ${bind(limit, 'UInt64')}`,
    );
  }

  /** @throws ClickHouseUnavailable, ClickHouseTimeout */
  at(
    scope: Scope,
    { block, window }: ReplicaSnapshot,
    { timestamp, id }: Locator,
    bounds: ReadBounds,
  ): Promise<SearchedEvent[]> {
    return this.events(
      scope,
      block,
      bounds,
      (bind) => `WHERE ${inWindow(window, bind)} AND e.timestamp = ${instantSql(timestamp, bind)}
        AND e.id = ${bind(id, 'UUID')} LIMIT 1`,
    );
  }

  /**
   * Returns the best matching event types, at most `limit`, with the newest event of each in the window.
   * @throws ClickHouseUnavailable, ClickHouseTimeout
   */
  types(
    scope: Scope,
    { words }: Search,
    { block, window }: ReplicaSnapshot,
    limit: number,
    bounds: ReadBounds,
  ): Promise<ClickHouseType[]> {
    const statement = new StatementValues();
    const { bind } = statement;
    const { fits, rank } = clickHouseSearchSql({ texts: ['e.event'] }, words, bind);
    return this.rows<ClickHouseType>(
      scope,
      block,
      (replicated) => `toString(e.event) AS event, toUnixTimestamp64Milli(max(e.timestamp)) AS ms
        FROM ${replicated} AS e WHERE ${inWindow(window, bind)} AND ${fits}
        GROUP BY e.event ORDER BY ${rank} DESC, ms DESC, event LIMIT ${bind(limit, 'UInt64')}`,
      statement,
      bounds,
    );
  }

  private async events(
    scope: Scope,
    block: number,
    bounds: ReadBounds,
    which: (bind: BindValue) => string,
  ): Promise<SearchedEvent[]> {
    const statement = new StatementValues();
    const chosen = which(statement.bind);
    const select = (replicated: string): string => `${COLUMNS} FROM ${replicated} AS e ${chosen}`;
    const rows = await this.rows<ClickHouseRow>(scope, block, select, statement, bounds);
    return rows.map(({ ms, ...event }) => ({ ...event, timestamp: new Date(ms) }));
  }

  private async rows<Row>(
    scope: Scope,
    block: number,
    select: (replicated: string) => string,
    statement: StatementValues,
    bounds: ReadBounds,
  ): Promise<Row[]> {
    // A read that exceeds the limit continues in the background and ends by its own time limit.
    const read = this.clickHouse.rows<Row>(scope, block, select, statement, bounds);
    const rows = await within(bounds.milliseconds, read, () => new ClickHouseTimeout());
    if (rows === null) throw new ClickHouseUnavailable();
    return rows;
  }
}

function inWindow({ from, to }: TimeWindow, bind: BindValue): string {
  return `e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}`;
}

/** The conditions on the timestamp are redundant, but ClickHouse can use them with the order of the rows. */
function placed(window: TimeWindow, { before, end }: SearchedStretch, bind: BindValue): string {
  const conditions = [inWindow(window, bind)];
  const compared = ({ timestamp, id }: Locator, sign: '<' | '>='): void => {
    const at = instantSql(timestamp, bind);
    conditions.push(
      `e.timestamp ${sign === '<' ? '<=' : '>='} ${at} AND (e.timestamp, UUIDToNum(e.id)) ${sign} (${at}, UUIDToNum(${bind(id, 'UUID')}))`,
    );
  };
  if (before !== null) compared(before, '<');
  if (end !== null) compared(end, '>=');
  return conditions.join(' AND ');
}
