import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import {
  type Among,
  ClickHouseEvents,
  ClickHouseUnavailable,
  ClickHouseTimeout,
} from '../reading/clickhouse-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { TailReader } from '../reading/tail.reader.js';
import { instantSql } from '../../fields/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { CLICKHOUSE_SIZES } from '../lists/clickhouse-list.reader.js';
import type { EventSize } from '../lists/event-locator.js';
import type { ScanRow, ScanSelection } from './scan-selection.js';
import type { ScanOptions } from './event-scan.js';
import { ScanRepository } from './scan.repository.js';
import { clickHouseJoinKey, type Joined, joinKeysSql, keyDigits, writtenKeys } from './clickhouse-join-keys.js';

/**
 * The maximum number of candidates in the tail, which are all read into memory before the first candidate is visited.
 * Beyond it PostgreSQL answers alone. When PostgreSQL no longer has older events of the window, the caller refuses the
 * read.
 */
const MAX_TAIL_EVENTS = 5_000;
/** Limits the properties of large events that one statement reads. A single event may be larger. */
const LARGE_AT_ONCE = 50;
const LARGE_AT_ONCE_BYTES = 1_048_576;

interface ClickHouseRow extends ScanRow {
  /** 1 when ClickHouse cannot read the row. */
  readonly unread: number;
  /** `bytes` and `stored` are the size of the event. Both are undefined when the scan needs no sizes. */
  readonly bytes?: EventSize['bytes'];
  readonly stored?: EventSize['stored'];
}

/** The join keys of the candidates in ClickHouse. */
interface KeysRow {
  /** The number of candidates. */
  readonly total: number;
  /** 1 when ClickHouse cannot read one of the candidates. */
  readonly unread: number;
  /** 1 when a candidate has several keys. */
  readonly several: number;
  /** The keys that have an event of each needed term. */
  readonly keys: readonly string[];
}

type ScanLocator = Pick<ScanRow, 'ms' | 'id'>;

/** With more keys, the candidates are not filtered by key. */
const MOST_KEYS = 100_000;
/** The share of the remaining time that the search for keys may take. */
const TIME_FOR_KEYS = 0.5;

/**
 * The candidates cannot be filtered by join key: an event has several keys, there are too many keys, or the search took
 * too long.
 */
export class KeysUntold extends Error {}

/** The candidates that have one of the found keys. */
export interface JoinedScan {
  /** Batches of candidates, oldest first. */
  readonly rows: AsyncGenerator<readonly ScanRow[], void>;
  /** Counts the candidates of all keys, up to and including one candidate. @param last null counts all of them */
  readonly count: (last: ScanLocator | null) => Promise<number>;
}

/** The state of one read from both stores. */
interface Reading {
  readonly block: number;
  /** The candidates that are not replicated yet, in the order of the scan. */
  readonly fromTail: readonly ScanRow[];
  readonly bounds: () => ReadBounds;
}

/** True when a candidate was read from ClickHouse. */
export function isFromClickHouse({ unread }: ScanRow): boolean {
  return unread !== undefined;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/** Reads candidates from ClickHouse, and adds the candidates that only PostgreSQL has. */
@Injectable()
export class ClickHouseScanReader {
  constructor(
    private readonly repository: ScanRepository,
    private readonly clickHouse: ClickHouseEvents,
    private readonly tail: TailReader,
  ) {}

  /** Counts in the metrics which store has answered. */
  countRead(store: 'clickhouse' | 'postgres'): void {
    if (this.clickHouse.isEnabled) this.clickHouse.countRead(store);
  }

  /**
   * Returns batches of candidates in the order of the scan, at most as many as `options.wanted`.
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong, ClickHouseUnavailable also while the batches are read
   */
  async rows(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    options: ScanOptions,
    signal: AbortSignal | undefined,
  ): Promise<AsyncGenerator<readonly ScanRow[], void> | null> {
    const reading = await this.begin(tx, scope, window, selection, options, signal);
    if (reading === null) return null;
    const { isNewestFirst, wanted, withSizes = false } = options;
    const statement = new StatementValues();
    const { bind } = statement;
    const { columns, unread, from } = this.scanOf(window, selection, options, bind);
    const order = isNewestFirst ? ' DESC' : '';
    const limit = typeof wanted === 'number' ? ` LIMIT ${bind(wanted, 'UInt64')}` : '';
    const sizes = withSizes ? `, ${CLICKHOUSE_SIZES}` : '';
    const stream = this.clickHouse.stream<ClickHouseRow>(
      scope,
      reading.block,
      (replicated) => `${columns}${sizes}, ${unread} AS unread FROM ${from(replicated, null)}
        ORDER BY e.timestamp${order}, UUIDToNum(e.id)${order}${limit}`,
      statement,
      reading.bounds(),
    );
    return this.inOrder(scope, reading, selection, options, stream);
  }

  /**
   * Returns only the candidates whose key has an event of each needed term, oldest first. When there are many
   * candidates, few keys have all of these events, so most candidates are never transferred.
   * @returns null when PostgreSQL has to answer alone
   * @throws KeysUntold, and the same errors as {@link rows}
   */
  async joined(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    joined: Joined,
    options: Omit<ScanOptions, 'isNewestFirst' | 'wanted'>,
    signal: AbortSignal | undefined,
  ): Promise<JoinedScan | null> {
    const whole = { ...options, isNewestFirst: false, wanted: 'all' } as const;
    const reading = await this.begin(tx, scope, window, selection, whole, signal);
    if (reading === null) return null;
    const { block, fromTail, bounds } = reading;
    const { total, keys } = await this.keys(scope, reading, window, selection, joined, whole);
    const statement = new StatementValues();
    const { bind } = statement;
    const { columns, unread, from } = this.scanOf(window, selection, whole, bind);
    const within = `${clickHouseJoinKey(joined.keys, bind).key} IN ${writtenKeys(keys)}`;
    const stream =
      keys.length === 0
        ? none()
        : this.clickHouse.stream<ClickHouseRow>(
            scope,
            block,
            (replicated, among) => `${columns}, ${unread} AS unread FROM ${from(replicated, among)} AND ${within}
              ORDER BY e.timestamp, UUIDToNum(e.id)`,
            statement,
            bounds(),
          );
    return {
      rows: this.inOrder(scope, reading, selection, whole, stream),
      count: async (last) => {
        const replicated = last === null ? total : await this.countTo(last, scope, reading, window, selection, whole);
        return replicated + fromTail.filter((row) => last === null || !isBefore(last, row)).length;
      },
    };
  }

  /** @throws KeysUntold, ClickHouseUnavailable */
  private async keys(
    scope: Scope,
    { block, fromTail, bounds }: Reading,
    window: TimeWindow,
    selection: ScanSelection,
    { keys, needed }: Joined,
    options: ScanOptions,
  ): Promise<KeysRow> {
    const statement = new StatementValues();
    const { bind } = statement;
    const { bits, unread, from } = this.scanOf(window, selection, options, bind);
    const { key, isSeveral } = clickHouseJoinKey(keys, bind);
    // The properties of large candidates are not read yet, so their keys are unknown.
    if (keys.some(({ own }) => own === null) && fromTail.some((row) => selection.isLarge(row))) throw new KeysUntold();
    const readers = keys.map((field) => selection.reader(field));
    const keysBeside = joinKeysSql(
      fromTail.map((row) => readers.map((read) => read(row))),
      bind,
    );
    if (keysBeside === null) throw new KeysUntold();
    const mask = needed.reduce((all, term) => all | (1 << term), 0);
    const { milliseconds, ...others } = bounds();
    const rows = await this.clickHouse
      .rows<KeysRow>(
        scope,
        block,
        (replicated, among) => `sum(n) AS total, max(of_unread) AS unread, max(of_several) AS several,
            groupArrayIf(${MOST_KEYS + 1})(${keyDigits('join_key')}, isNotNull(join_key) AND is_whole) AS keys
          FROM (SELECT join_key, count() AS n, max(unread) AS of_unread, max(several) AS of_several,
                       bitAnd(groupBitOr(bits), ${mask}) = ${mask} OR join_key IN ${keysBeside} AS is_whole
                FROM (SELECT ${bits} AS bits, toUInt8(${unread}) AS unread, ${isSeveral} AS several, ${key} AS join_key
                      FROM ${from(replicated, among)})
                GROUP BY join_key)`,
        statement,
        { ...others, milliseconds: Math.ceil(milliseconds * TIME_FOR_KEYS) },
      )
      .catch((error: unknown) => {
        throw error instanceof ClickHouseTimeout ? new KeysUntold() : error;
      });
    const [found] = rows ?? [];
    if (found === undefined || found.unread === 1) throw new ClickHouseUnavailable();
    if (found.several === 1 || found.keys.length > MOST_KEYS) throw new KeysUntold();
    return found;
  }

  /** @returns null when PostgreSQL has to answer alone */
  private async begin(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    options: ScanOptions,
    signal: AbortSignal | undefined,
  ): Promise<Reading | null> {
    if (!this.clickHouse.isEnabled || this.clickHouse.isCircuitOpen) return null;
    const block = await this.tail.block(scope, tx);
    if (block === null) return null;
    const fromTail = await this.repository.tail(tx, scope, window, selection, options, MAX_TAIL_EVENTS + 1);
    if (fromTail.length > MAX_TAIL_EVENTS) return null;
    return { block, fromTail, bounds: () => ({ milliseconds: options.deadline.left(), ...(signal && { signal }) }) };
  }

  /** Returns the selected columns and the FROM clause of the candidates. */
  private scanOf(window: TimeWindow, selection: ScanSelection, { clickHouseWithin }: ScanOptions, bind: BindValue) {
    const { first, where, ...selected } = selection.clickHouseSql(bind);
    const [begin, end] = [instantSql(window.from, bind), instantSql(window.to, bind)];
    const others = clickHouseWithin?.(bind) ?? '';
    /**
     * @param among reads time and type of the rows first; null lets the server choose. It is not used for events of any
     * type.
     */
    const from = (replicated: string, among: Among | null): string => {
      const quick = `timestamp >= ${begin} AND timestamp < ${end}`;
      const relation = first === null || among === null ? replicated : among(`${quick} AND ${first}`);
      const ofTypes = first === null ? '' : ` AND e.${first}`;
      return `${relation} AS e WHERE e.timestamp >= ${begin} AND e.timestamp < ${end}${ofTypes} AND ${where}${others}`;
    };
    return { ...selected, from };
  }

  private inOrder(
    scope: Scope,
    { block, fromTail, bounds }: Reading,
    selection: ScanSelection,
    { isNewestFirst, wanted }: ScanOptions,
    stream: AsyncGenerator<readonly ClickHouseRow[], void>,
  ): AsyncGenerator<readonly ScanRow[], void> {
    const large = (rows: readonly ScanRow[]): Promise<ScanRow[]> =>
      this.withProperties(scope, block, selection, rows, bounds());
    return upTo(wanted, withLarge(merged(stream, fromTail, selection, isNewestFirst), selection, large));
  }

  /** Counts the candidates in ClickHouse up to and including one candidate. */
  private async countTo(
    last: ScanLocator,
    scope: Scope,
    { block, bounds }: Reading,
    window: TimeWindow,
    selection: ScanSelection,
    options: ScanOptions,
  ): Promise<number> {
    const statement = new StatementValues();
    const { bind } = statement;
    const to = { from: window.from, to: new Date(last.ms + 1) };
    const { from } = this.scanOf(to, selection, options, bind);
    const locator = `(${bind(last.ms, 'Int64')}, ${bind(last.id, 'String')})`;
    const rows = await readingTime(
      this.clickHouse.rows<{ n: number }>(
        scope,
        block,
        (replicated, among) =>
          `count() AS n FROM ${from(replicated, among)} AND (toUnixTimestamp64Milli(e.timestamp), toString(e.id)) <= ${locator}`,
        statement,
        bounds(),
      ),
    );
    if (rows === null) throw new ClickHouseUnavailable();
    return rows[0]?.n ?? 0;
  }

  /** Adds the properties to large events. An event that was deleted meanwhile has no properties. */
  private async withProperties(
    scope: Scope,
    block: number,
    selection: ScanSelection,
    rows: readonly ScanRow[],
    bounds: ReadBounds,
  ): Promise<ScanRow[]> {
    const statement = new StatementValues();
    const { bind } = statement;
    const times = rows.map(({ ms }) => ms);
    const ids = rows.map(({ id }) => id);
    const [oldest, newest] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    const found = await this.clickHouse.rows<Readonly<Record<string, unknown>> & { readonly id: string }>(
      scope,
      block,
      (replicated) => `toString(e.id) AS id, ${selection.clickHousePropertiesSql(bind)} FROM ${replicated} AS e
        WHERE e.timestamp >= ${instantSql(oldest, bind)} AND e.timestamp <= ${instantSql(newest, bind)}
          AND e.id IN ${bind(ids, 'Array(UUID)')}`,
      statement,
      bounds,
    );
    if (found === null) throw new ClickHouseUnavailable();
    const known = new Map(found.map((one) => [one.id, one]));
    return rows.map((row) => selection.withProperties(row, known.get(row.id) ?? {}));
  }
}

async function* none(): AsyncGenerator<readonly ClickHouseRow[], void> {
  // No key has an event of each needed term.
}

async function* merged(
  stream: AsyncGenerator<readonly ClickHouseRow[], void>,
  fromTail: readonly ScanRow[],
  selection: ScanSelection,
  isNewestFirst: boolean,
): AsyncGenerator<readonly ScanRow[], void> {
  let next = 0;
  try {
    for await (const rows of stream) {
      const together: ScanRow[] = [];
      for (const row of rows) {
        if (row.unread === 1) throw new ClickHouseUnavailable();
        for (let other = fromTail[next]; other !== undefined; other = fromTail[next]) {
          if (isBefore(row, other) !== isNewestFirst) break;
          together.push(other);
          next += 1;
        }
        together.push(withSize(selection.read(row), row));
      }
      yield together;
    }
  } catch (error) {
    throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
  }
  yield fromTail.slice(next);
}

function withSize(row: ScanRow, { bytes, stored }: ClickHouseRow): ScanRow {
  return bytes === undefined || stored === undefined ? row : { ...row, size: { bytes, stored } };
}

/** Reads the properties of large events of ClickHouse before the batch is returned. */
async function* withLarge(
  batches: AsyncGenerator<readonly ScanRow[], void>,
  selection: ScanSelection,
  read: (rows: readonly ScanRow[]) => Promise<ScanRow[]>,
): AsyncGenerator<readonly ScanRow[], void> {
  const isIncomplete = (row: ScanRow): boolean => row.large_bytes !== undefined && selection.isLarge(row);
  for await (const rows of batches) {
    for (let next = 0; next < rows.length;) {
      const large: ScanRow[] = [];
      const begin = next;
      for (let bytes = 0; next < rows.length; next += 1) {
        const row = rows[next];
        if (row === undefined || !isIncomplete(row)) continue;
        bytes += row.large_bytes ?? 0;
        if (large.length > 0 && (bytes > LARGE_AT_ONCE_BYTES || large.length >= LARGE_AT_ONCE)) break;
        large.push(row);
      }
      const together = rows.slice(begin, next);
      if (large.length === 0) yield together;
      else {
        const complete = (await readingTime(read(large))).values();
        yield together.map((row) => (isIncomplete(row) ? (complete.next().value ?? row) : row));
      }
    }
  }
}

async function readingTime<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
  }
}

async function* upTo(
  wanted: ScanOptions['wanted'],
  batches: AsyncGenerator<readonly ScanRow[], void>,
): AsyncGenerator<readonly ScanRow[], void> {
  let left = typeof wanted === 'number' ? wanted : Infinity;
  for await (const rows of batches) {
    yield rows.length <= left ? rows : rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

/** Ids are compared by their bytes, which have the same order as their text. */
function isBefore(one: ScanLocator, other: ScanLocator): boolean {
  return one.ms === other.ms ? one.id < other.id : one.ms < other.ms;
}
