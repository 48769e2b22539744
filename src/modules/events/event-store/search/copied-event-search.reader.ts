import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import { FairSemaphore, within } from '../../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Search, SearchTime, SearchWords } from '../../../tenancy/search-sources/index.js';
import { CopiedEventsReader, CopyCannotTell, CopyReadTooLong } from '../reading/copied-events.reader.js';
import type { Place } from '../places/cursor.js';
import { RetainedEvents } from '../retention/retained-events.js';
import type { TimeWindow } from '../totals/coverage.js';
import { UncopiedEventsReader } from '../reading/uncopied-events.reader.js';
import { instantSql } from '../../fields/index.js';
import { copiedSearchSql } from './copied-search-sql.js';
import { MOST_ENDPOINT, type SearchedEvent, type SearchedStretch } from './event-search.reader.js';
import { type CountedHour, HourEnds, MOST_HOURS } from './hour-ends.js';

/** Of quick reads, in a process at once and of a project; without a free turn PostgreSQL answers. */
const QUICK_TURNS = { parallel: 4, parallelOfShare: 2, mostWaiting: 0 };

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

/** Where the copy ends, as a snapshot of PostgreSQL has it that sees what is behind that, too. */
export interface CopiedMoment {
  readonly block: number;
  /** Without what PostgreSQL has ended, and ClickHouse may not have yet. */
  readonly window: TimeWindow;
}

interface CopiedRow extends Omit<SearchedEvent, 'timestamp'> {
  readonly ms: number;
}

export interface CopiedType {
  readonly event: string;
  /** Its newest event's, in milliseconds. */
  readonly ms: number;
}

/**
 * Finds events among those that are copied to ClickHouse. Nobody waits for longer than a read may take: a server that does not
 * answer by then has CopyReadTooLong thrown, and is found out by the reader, which waits on.
 */
@Injectable()
export class CopiedEventSearchReader {
  /** What a read may take there that PostgreSQL has an index for; tests on a busy machine make it more. */
  quickMs = 2_000;

  private readonly quickTurns = new FairSemaphore(QUICK_TURNS);

  constructor(
    private readonly database: Database,
    private readonly copied: CopiedEventsReader,
    private readonly uncopied: UncopiedEventsReader,
    private readonly retained: RetainedEvents,
  ) {}

  get isAsked(): boolean {
    return this.copied.isAsked;
  }

  /** Tells who has answered. */
  answered(store: 'clickhouse' | 'postgres'): void {
    this.copied.answered(store);
  }

  /** Null: PostgreSQL has to answer alone. */
  async moment(scope: Scope, { from, to }: TimeWindow, tx: Db): Promise<CopiedMoment | null> {
    if (!this.copied.isAsked || this.copied.isSilent) return null;
    const retainedFrom = await this.retained.from();
    const block = await this.uncopied.block(scope, tx);
    if (block === null) return null;
    return { block, window: { from: retainedFrom !== null && retainedFrom > from ? retainedFrom : from, to } };
  }

  /**
   * Asks for what PostgreSQL finds by an index, and leaves time for that.
   * @param ask does it, of a moment, within bounds; says null where PostgreSQL has to answer
   * @returns null where PostgreSQL has to; its statements have the time that is left then
   */
  async quickly<T>(
    scope: Scope,
    window: TimeWindow,
    time: SearchTime,
    tx: Db,
    ask: (moment: CopiedMoment, bounds: ReadBounds) => Promise<T>,
  ): Promise<T | null> {
    if (!this.copied.isAsked) return null;
    const giveUpAt = performance.now() + time.milliseconds;
    const bounds = { ...time, milliseconds: Math.ceil(Math.min(this.quickMs, time.milliseconds / 2)) };
    const found = await this.quickTurns.runNow(scope.projectId, async () => {
      const moment = await this.moment(scope, window, tx);
      if (moment === null) return null;
      try {
        return await ask(moment, bounds);
      } catch (error) {
        if (error instanceof CopyCannotTell || error instanceof CopyReadTooLong) return null;
        throw error;
      }
    });
    this.copied.answered(found === null ? 'postgres' : 'clickhouse');
    await this.database.limit(tx, Math.max(1, Math.ceil(giveUpAt - performance.now())));
    return found;
  }

  /**
   * The last of the next rows; null when there are fewer.
   * @throws CopyCannotTell, CopyReadTooLong
   */
  async end(
    scope: Scope,
    { block, window }: CopiedMoment,
    before: Place | null,
    rows: number,
    bounds: ReadBounds,
  ): Promise<Place | null> {
    const statement = new StatementValues();
    const { bind } = statement;
    const [end] = await this.rows<{ ms: number; id: string }>(
      scope,
      block,
      (copied) => `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id
        FROM ${copied} AS e WHERE ${placed(window, { before, end: null }, bind)}
        ORDER BY e.timestamp DESC, UUIDToNum(e.id) DESC LIMIT 1 OFFSET ${bind(rows - 1, 'UInt64')}`,
      statement,
      bounds,
    );
    return end === undefined ? null : { timestamp: new Date(end.ms), id: end.id };
  }

  /**
   * How many events each hour has.
   * @throws CopyCannotTell, CopyReadTooLong
   */
  async hours(scope: Scope, { block, window }: CopiedMoment, bounds: ReadBounds): Promise<HourEnds> {
    const statement = new StatementValues();
    const { bind } = statement;
    const hours = await this.rows<CountedHour>(
      scope,
      block,
      (copied) => `intDiv(toUnixTimestamp64Milli(e.timestamp), 3600000) AS hour, count() AS events
        FROM ${copied} AS e WHERE ${inWindow(window, bind)}
        GROUP BY hour ORDER BY hour DESC LIMIT ${bind(MOST_HOURS, 'UInt64')}`,
      statement,
      bounds,
    );
    return new HourEnds(hours);
  }

  /**
   * The best of a stretch, at most `limit`.
   * @throws CopyCannotTell, CopyReadTooLong
   */
  best(
    scope: Scope,
    words: SearchWords,
    { block, window }: CopiedMoment,
    stretch: SearchedStretch,
    limit: number,
    bounds: ReadBounds,
  ): Promise<SearchedEvent[]> {
    return this.events(scope, block, bounds, (bind) => {
      const { fits, rank } = copiedSearchSql(SEARCHED, words, bind);
      return `WHERE ${placed(window, stretch, bind)} AND ${fits}
        ORDER BY ${rank} DESC, e.timestamp DESC, UUIDToNum(e.id) LIMIT ${bind(limit, 'UInt64')}`;
    });
  }

  /**
   * The newest events of these types, at most `limit`: in the order of the rows, so that the first ones are enough.
   * @throws CopyCannotTell, CopyReadTooLong
   */
  newestOf(
    scope: Scope,
    { block, window }: CopiedMoment,
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

  /** @throws CopyCannotTell, CopyReadTooLong */
  at(
    scope: Scope,
    { block, window }: CopiedMoment,
    { timestamp, id }: Place,
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
   * The types that fit best, at most `limit`, with their newest event of the window.
   * @throws CopyCannotTell, CopyReadTooLong
   */
  types(
    scope: Scope,
    { words }: Search,
    { block, window }: CopiedMoment,
    limit: number,
    bounds: ReadBounds,
  ): Promise<CopiedType[]> {
    const statement = new StatementValues();
    const { bind } = statement;
    const { fits, rank } = copiedSearchSql({ texts: ['e.event'] }, words, bind);
    return this.rows<CopiedType>(
      scope,
      block,
      (copied) => `toString(e.event) AS event, toUnixTimestamp64Milli(max(e.timestamp)) AS ms
        FROM ${copied} AS e WHERE ${inWindow(window, bind)} AND ${fits}
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
    const select = (copied: string): string => `${COLUMNS} FROM ${copied} AS e ${chosen}`;
    const rows = await this.rows<CopiedRow>(scope, block, select, statement, bounds);
    return rows.map(({ ms, ...event }) => ({ ...event, timestamp: new Date(ms) }));
  }

  private async rows<Row>(
    scope: Scope,
    block: number,
    select: (copied: string) => string,
    statement: StatementValues,
    bounds: ReadBounds,
  ): Promise<Row[]> {
    // One that comes too late goes on, and ends by bounds of its own.
    const read = this.copied.rows<Row>(scope, block, select, statement, bounds);
    const rows = await within(bounds.milliseconds, read, () => new CopyReadTooLong());
    if (rows === null) throw new CopyCannotTell();
    return rows;
  }
}

function inWindow({ from, to }: TimeWindow, bind: BindValue): string {
  return `e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}`;
}

/** The timestamps alone say less than the pairs do, and are what rows are ordered by. */
function placed(window: TimeWindow, { before, end }: SearchedStretch, bind: BindValue): string {
  const conditions = [inWindow(window, bind)];
  const compared = ({ timestamp, id }: Place, sign: '<' | '>='): void => {
    const at = instantSql(timestamp, bind);
    conditions.push(
      `e.timestamp ${sign === '<' ? '<=' : '>='} ${at} AND (e.timestamp, UUIDToNum(e.id)) ${sign} (${at}, UUIDToNum(${bind(id, 'UUID')}))`,
    );
  };
  if (before !== null) compared(before, '<');
  if (end !== null) compared(end, '>=');
  return conditions.join(' AND ');
}
