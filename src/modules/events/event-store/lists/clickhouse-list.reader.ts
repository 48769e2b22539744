import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import {
  type BindValue,
  type QuerySettings,
  type ReadBounds,
  StatementValues,
} from '../../../../platform/clickhouse/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import { MAX_TAIL_EVENTS, tailKeysSql } from '../reading/tail.reader.js';
import { instantSql } from '../../fields/index.js';
import { RetainedEvents } from '../retention/retained-events.js';
import { inWindow } from '../totals/event-filter.js';
import type { EventListQuery } from './event-list-query.js';
import type { Locator } from './cursor.js';
import { type EventLocator, LOCATOR_COLUMNS } from './event-locator.js';
import { NewestListReader } from './newest-list.reader.js';
import { QueryTooLong } from '../../long-reads/index.js';

/**
 * Limits of a read for which PostgreSQL has an index: the time in ClickHouse, and the number of events to look up that
 * are not replicated yet. Beyond them PostgreSQL answers.
 */
const QUICK_MS = 2_000;
const MAX_QUICK_TAIL_EVENTS = 2_000;
/** The time limit in ClickHouse where PostgreSQL may lack events. */
const ARCHIVE_TIMEOUT_MS = 5_000;
class NoSlotAvailable extends Error {}

/**
 * Limits the quick reads that run at once, per process and per project. Without a free slot PostgreSQL answers, where
 * it can.
 */
const QUICK_SLOTS = {
  ...{ parallel: 8, maxPerKey: 2, maxQueued: 256 },
  timeout: { ms: 2_000, refusal: NoSlotAvailable },
};

/** A page is first searched in the newest hours that together have this many events. */
const NEWEST_EVENTS = 16_384;
const MOST_NEWEST_HOURS = 200;
const SHORT_MS = 2 * 3_600_000;
/** When the newest hours have more events than this, they are not searched first. */
const MOST_NEWEST_EVENTS = 500_000;
/** Limits the searches in the newest hours that run at once. Without a free slot the search covers the whole window. */
const NEWEST_SLOTS = { parallel: 8, maxPerKey: 4, maxQueued: 0 };
/** For few rows, reading skip indexes or using several threads mostly takes longer than a plain read. */
const FEW_ROWS: QuerySettings = { use_skip_indexes: 0, max_threads: 1 };

/** An upper bound for all timestamps. */
const END_OF_TIME = new Date('+010000-01-01T00:00:00.000Z');

type Scope = Pick<ProjectScope, 'projectId'>;

interface Reading {
  /** The snapshot of PostgreSQL that the answer has to come from. */
  readonly tx?: Db;
  /**
   * The time limit in ClickHouse. Beyond it the read fails with {@link QueryTooLong}. Omitted when PostgreSQL has an
   * index for the read. Then PostgreSQL answers if ClickHouse is too slow.
   */
  readonly milliseconds?: number;
  /** True when the window has no more hours than the page needs. */
  readonly isNarrow?: boolean;
  /**
   * Limits how many slow reads run at once, and passes each its time limit. Reads of the newest hours are not limited.
   */
  readonly withSlot?: <T>(work: (milliseconds: number) => Promise<T>) => Promise<T>;
}

interface ScanPage {
  readonly skipped: number;
  readonly most: number;
}

interface ListTail {
  /** The last block that was replicated. */
  readonly block: number;
  /**
   * The start of the newest hours, which are searched first. Null when the project has no events there, or more than
   * {@link MOST_NEWEST_EVENTS}.
   */
  readonly newestFrom: Date | null;
  /** The first matches that are not replicated yet, at most as many as offset and limit need. */
  readonly locators: readonly EventLocator[];
}

interface TailRow {
  readonly block: number;
  readonly newest_from: Date | null;
  readonly events: number;
  readonly timestamp: Date | null;
  readonly id: string;
  readonly bytes: number | null;
  readonly stored: number | null;
}

interface ClickHouseRow {
  readonly ms: number;
  readonly id: string;
  readonly bytes: number | null;
  readonly stored: number | null;
}

/**
 * Returns locators of events, newest first and then by id. ClickHouse answers for the replicated events, PostgreSQL for
 * the others.
 */
@Injectable()
export class ClickHouseListReader {
  private readonly quickSlots = new FairSemaphore(QUICK_SLOTS);
  private readonly newestSlots = new FairSemaphore(NEWEST_SLOTS);

  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseEvents,
    private readonly archived: ArchivedEventsReader,
    private readonly retained: RetainedEvents,
    private readonly newestPlaces: NewestListReader,
  ) {}

  /**
   * Returns the same as {@link newest}. Tries the newest events of PostgreSQL first, and falls back to PostgreSQL when
   * ClickHouse cannot answer.
   * @param kept reads the page from PostgreSQL; receives its time limit in milliseconds when it has a slot
   * @throws QueryTooLong, and ArchiveUnavailable when PostgreSQL may lack an event of the page
   */
  async read(
    scope: Scope,
    query: EventListQuery,
    kept: (milliseconds?: number) => Promise<EventLocator[]>,
    reading: Reading = {},
  ): Promise<EventLocator[]> {
    if (this.clickHouse.isEnabled) {
      const page = await this.newestPlaces.page(scope, await this.kept(query), reading.tx);
      if (page !== null) return page;
    }
    const atOnce = await this.newestSlots.runNow(scope.projectId, () => this.amongNewest(scope, query, reading));
    if (atOnce !== null) return atOnce;
    const { withSlot } = reading;
    if (withSlot === undefined) return this.among(scope, query, kept, reading);
    return withSlot((milliseconds) => this.among(scope, query, () => kept(milliseconds), { ...reading, milliseconds }));
  }

  private async among(
    scope: Scope,
    query: EventListQuery,
    kept: () => Promise<EventLocator[]>,
    reading: Reading,
  ): Promise<EventLocator[]> {
    const replicated = await this.newest(scope, query, reading);
    if (replicated !== null) return replicated;
    const locators = await kept();
    // All events of the page, and the skipped events, are at least as new as the last event of the page. So older
    // months do not matter.
    const last = locators.length < query.limit ? undefined : locators.at(-1);
    await this.archived.assertNotArchived(last === undefined ? query.window : { from: last.timestamp });
    return locators;
  }

  /**
   * Returns a page from both stores. One statement of PostgreSQL reads the watermark and the tail, so that the page is
   * consistent.
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  async newest(scope: Scope, query: EventListQuery, reading: Reading = {}): Promise<EventLocator[] | null> {
    if (!this.clickHouse.isEnabled) return null;
    const locators = await this.split(scope, await this.kept(query), reading);
    this.clickHouse.countRead(locators === null ? 'postgres' : 'clickhouse');
    return locators;
  }

  /**
   * Searches the newest hours of a long window, which mostly have all events of the first page.
   * @returns null when these hours have fewer events, or when ClickHouse is too slow
   */
  private async amongNewest(
    scope: Scope,
    unclipped: EventListQuery,
    { tx, isNarrow = isShort(unclipped) }: Reading,
  ): Promise<EventLocator[] | null> {
    if (!this.clickHouse.isEnabled || this.clickHouse.isCircuitOpen || isNarrow || (unclipped.offset ?? 0) > 0)
      return null;
    const query = await this.kept(unclipped);
    const tail = await this.tail(scope, query, MAX_QUICK_TAIL_EVENTS, tx);
    if (tail === null || tail.newestFrom === null) return null;
    const { block, newestFrom, locators } = tail;
    const from = query.window?.from;
    if (from !== undefined && newestFrom <= from) return null;
    const newest = { ...query, window: { from: newestFrom, to: query.window?.to ?? END_OF_TIME } };
    const page = { skipped: 0, most: query.limit };
    const bounds = { milliseconds: QUICK_MS, settings: FEW_ROWS };
    const replicated = await this.ofBlocks(scope, newest, block, page, bounds).catch((error: unknown) => {
      if (error instanceof ClickHouseTimeout) return null;
      throw error;
    });
    const found = [...(replicated ?? []), ...locators.filter(({ timestamp }) => timestamp >= newestFrom)];
    if (!replicated || found.length < query.limit) return null;
    this.clickHouse.countRead('clickhouse');
    return found.sort(compare).slice(0, query.limit);
  }

  /** Excludes events past the retention limit. PostgreSQL has already dropped them, ClickHouse may still list them. */
  private async kept(query: EventListQuery): Promise<EventListQuery> {
    const retainedFrom = await this.retained.from();
    const { from, to } = query.window ?? { from: undefined, to: END_OF_TIME };
    if (retainedFrom === null || (from !== undefined && from >= retainedFrom)) return query;
    return { ...query, window: { from: retainedFrom, to } };
  }

  private async split(
    scope: Scope,
    query: EventListQuery,
    { tx, milliseconds }: Reading,
  ): Promise<EventLocator[] | null> {
    if (this.clickHouse.isCircuitOpen) return null;
    // When PostgreSQL has an index for the read, a long replication queue is a reason to use PostgreSQL instead.
    const isQuick =
      milliseconds === undefined && query.conditions !== undefined && !(await this.archived.isArchived(query.window));
    const tail = await this.tail(scope, query, isQuick ? MAX_QUICK_TAIL_EVENTS : MAX_TAIL_EVENTS, tx);
    if (tail === null) return null;
    const { limit, offset = 0 } = query;
    // All events that are not replicated yet may come before the page.
    const skipped = Math.max(0, offset - tail.locators.length);
    const most = offset - skipped + limit;
    const replicated = await this.clickHousePage(scope, query, tail, { skipped, most }, milliseconds);
    if (replicated === null) return null;
    const [first] = replicated;
    // ClickHouse has at most `skipped` matching events, so the number of events before the page is unknown.
    if (skipped > 0 && first === undefined) return null;
    const isAhead = (locator: Locator): boolean => skipped > 0 && first !== undefined && compare(locator, first) < 0;
    const later = tail.locators.filter((locator) => !isAhead(locator));
    const passed = skipped + (tail.locators.length - later.length);
    return [...replicated, ...later].sort(compare).slice(offset - passed, offset - passed + limit);
  }

  /**
   * @returns null when the replica is not complete, or when more than `maxTailEvents` events of the project are not
   * replicated yet
   */
  private async tail(
    scope: Scope,
    query: EventListQuery,
    maxTailEvents: number,
    tx: Db | undefined,
  ): Promise<ListTail | null> {
    const { window, before, conditions, limit, offset = 0 } = query;
    const parameters = new Parameters();
    const project = parameters.bind(scope.projectId);
    const within = window ? ` AND ${inWindow('at', window, parameters)}` : '';
    const older = before
      ? ` AND (at, which) < (${parameters.bind(before.timestamp)}, ${parameters.bind(before.id)})`
      : '';
    const most = parameters.bind(limit + offset);
    const matching = conditions?.postgres(parameters) ?? '';
    // OFFSET 0 makes PostgreSQL look up each event by its key, because the planner cannot estimate how few events the
    // arrays name. Without conditions only the first events are looked up.
    const first = matching === '' ? `ORDER BY at DESC, which DESC LIMIT ${most}` : '';
    const rows = await this.database.rows<TailRow>(
      `WITH tail AS MATERIALIZED (SELECT at, which FROM ${tailKeysSql(project, maxTailEvents)} found /* tenant: compared there */)
       SELECT p.block::float8 AS block, (SELECT count(*) FROM tail)::int AS events,
              (SELECT min(hour) FROM (
                SELECT hour, events, sum(events) OVER (ORDER BY hour DESC) - events AS newer FROM (
                  SELECT hour, events FROM event_hours WHERE project_id = ${project} AND hour < ${parameters.bind(endOf(query))}
                  ORDER BY hour DESC LIMIT ${MOST_NEWEST_HOURS}) h) h WHERE newer < ${NEWEST_EVENTS}
              HAVING max(newer + events) <= ${MOST_NEWEST_EVENTS}) AS newest_from, f.*
       FROM event_shipping p LEFT JOIN LATERAL (
         SELECT e.* FROM (SELECT at, which FROM tail WHERE true${within}${older} ${first}) w CROSS JOIN LATERAL (
           SELECT ${LOCATOR_COLUMNS} FROM events
           WHERE project_id = ${project} AND "timestamp" = at AND id = which${matching} OFFSET 0) e
         ORDER BY "timestamp" DESC, id DESC LIMIT ${most}) f ON true
       WHERE p.is_whole`,
      parameters.values,
      tx,
    );
    const [state] = rows;
    if (state === undefined || state.events > maxTailEvents) return null;
    const locators = rows.flatMap(({ timestamp, id, bytes, stored }) =>
      timestamp === null ? [] : [{ timestamp, id, bytes, stored }],
    );
    return { block: state.block, newestFrom: state.newest_from, locators };
  }

  /** @returns null when ClickHouse is unavailable, or too slow for a read for which PostgreSQL has an index */
  private async clickHousePage(
    scope: Scope,
    query: EventListQuery,
    { block, newestFrom }: ListTail,
    page: ScanPage,
    milliseconds: number | undefined,
  ): Promise<EventLocator[] | null> {
    const { window, conditions } = query;
    // For costly conditions, the skip index on texts is faster even among half a million rows.
    const isOfNewest = window !== undefined && newestFrom !== null && window.from >= newestFrom;
    const isOfFew = isOfNewest && conditions?.areCostly !== true;
    const within = (ms: number): ReadBounds => ({ milliseconds: ms, ...(isOfFew && { settings: FEW_ROWS }) });
    try {
      // A read with a time limit already has its slot.
      if (milliseconds !== undefined) return await this.ofBlocks(scope, query, block, page, within(milliseconds));
      const quickMs = (await this.archived.isArchived(window)) ? ARCHIVE_TIMEOUT_MS : QUICK_MS;
      return await this.quick(scope, window, () => this.ofBlocks(scope, query, block, page, within(quickMs)));
    } catch (error) {
      if (!(error instanceof ClickHouseTimeout)) throw error;
      if (milliseconds !== undefined) throw new QueryTooLong();
      return null;
    }
  }

  /** @returns null when ClickHouse is unavailable */
  private async ofBlocks(
    scope: Scope,
    { window, before, conditions }: EventListQuery,
    block: number,
    { skipped, most }: ScanPage,
    bounds: ReadBounds,
  ): Promise<EventLocator[] | null> {
    const statement = new StatementValues();
    const { bind } = statement;
    const tests = [
      ...(window === undefined
        ? []
        : [`timestamp >= ${instantSql(window.from, bind)} AND timestamp < ${instantSql(window.to, bind)}`]),
      ...(before ? [clickHouseOlderThan(before, bind)] : []),
    ];
    const indexed = bounds.settings?.use_skip_indexes === 0 ? '' : (conditions?.indexed?.(bind) ?? '');
    const where = `WHERE ${['true', ...tests].join(' AND ')}${indexed}${conditions?.clickHouse(bind) ?? ''}`;
    const rows = await this.clickHouse.rows<ClickHouseRow>(
      scope,
      block,
      (replicated) => `toUnixTimestamp64Milli(timestamp) AS ms, toString(id) AS id, ${CLICKHOUSE_SIZES}
        FROM ${replicated} AS e ${where} ORDER BY timestamp DESC, UUIDToNum(e.id) DESC
        LIMIT ${bind(most, 'UInt64')} OFFSET ${bind(skipped, 'UInt64')}`,
      statement,
      bounds,
    );
    return rows?.map(({ ms, id, bytes, stored }) => ({ timestamp: new Date(ms), id, bytes, stored })) ?? null;
  }

  /** Waits for a slot only where PostgreSQL may lack events. @returns null when there is no slot */
  private async quick<Rows>(
    scope: Scope,
    window: EventListQuery['window'],
    read: () => Promise<Rows>,
  ): Promise<Rows | null> {
    const now = this.quickSlots.runNow(scope.projectId, read);
    if (now !== null || !(await this.archived.isArchived(window))) return now;
    try {
      return await this.quickSlots.run(scope.projectId, read);
    } catch (error) {
      if (error instanceof NoSlotAvailable) return null;
      throw error;
    }
  }
}

/**
 * The same values as `SIZE_COLUMNS`. For an event without a stored size, `stored` is the uncompressed length of its
 * properties, which is an upper bound.
 */
export const CLICKHOUSE_SIZES = `
  e.bytes + toInt32(ifNull(e.message_size, 0) + length(e.log_method) + e.endpoint_size) AS bytes,
  if(isNull(e.bytes), toInt32(e.properties_size), NULL) AS stored`;

/** Returns an upper bound for the timestamps of the page. */
function endOf({ window, before }: EventListQuery): Date {
  const to = window?.to ?? END_OF_TIME;
  return before && before.timestamp < to ? new Date(before.timestamp.getTime() + 1) : to;
}

/** For so short a window, the newest hours are not searched first. */
function isShort({ window }: EventListQuery): boolean {
  return window !== undefined && window.to.getTime() - window.from.getTime() <= SHORT_MS;
}

/** Selects the rows `e` of ClickHouse strictly before a locator. */
export function clickHouseOlderThan({ timestamp, id }: Locator, bind: BindValue): string {
  const instant = instantSql(timestamp, bind);
  return `timestamp <= ${instant} AND (timestamp, UUIDToNum(e.id)) < (${instant}, UUIDToNum(${bind(id, 'UUID')}))`;
}

/** Newest first. Ids are compared by their bytes, which have the same order as their text. */
function compare(one: Locator, other: Locator): number {
  const between = other.timestamp.getTime() - one.timestamp.getTime();
  if (between !== 0 || one.id === other.id) return between;
  return one.id > other.id ? -1 : 1;
}
