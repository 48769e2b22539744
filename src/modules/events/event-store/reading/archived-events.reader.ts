import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import { type EventColumn, FIELD_TABLE, instantSql } from '../../fields/index.js';
import { HotEvents } from '../retention/hot-events.js';
import { GroupedEvents, type GroupingQuery } from './grouped-events.js';
import { ClickHouseEvents, ClickHouseUnavailable, ClickHouseTimeout } from './clickhouse-events.reader.js';
import { TailReader } from './tail.reader.js';
import { writtenIds, writtenNumbers } from './written-values.js';

/** The default time limit of a read of events that PostgreSQL does not have. */
const LOOK_MS = 5_000;
/** Limits the reads that run at once, per process and per project. Each may hold a connection to both databases. */
const SLOTS = { parallel: 8, maxPerKey: 2, maxQueued: 16, maxQueuedPerKey: 4 };
const WAIT_TIMEOUT_MS = 3_000;
/** Selects every block. */
const ANY_BLOCK = Number.MAX_SAFE_INTEGER;

type Scope = Pick<ProjectScope, 'projectId'>;
type Window = { readonly from: Date; readonly to: Date };

/** The timestamp and id of an event. */
interface Locator {
  readonly timestamp: Date;
  readonly id: string;
}

/** The columns that take most of the space. A read may leave them out. */
export type LargeColumn = 'message' | 'properties';

/** An event of ClickHouse as JSON in the form of PostgreSQL's row. */
export interface ClickHouseRow {
  readonly at: Date;
  readonly json: string;
}

/** PostgreSQL no longer has events of this age, and ClickHouse cannot answer. */
export class ArchiveUnavailable extends domainError(
  503,
  'Older events cannot be read at the moment: choose a shorter range or try again later',
) {
  override readonly headers = { 'Retry-After': '10' };
}

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];
const TIMES = COLUMNS.filter((name) => FIELD_TABLE[name].type === 'timestamptz');

/**
 * Reads events that PostgreSQL may no longer have (EVENTS_HOT_DAYS). Of such months PostgreSQL only has late events, so
 * ClickHouse must answer. The request is refused when ClickHouse cannot.
 */
@Injectable()
export class ArchivedEventsReader {
  private readonly slots = new FairSemaphore({
    ...SLOTS,
    timeout: { ms: WAIT_TIMEOUT_MS, refusal: ArchiveUnavailable },
  });

  constructor(
    private readonly hot: HotEvents,
    private readonly clickHouse: ClickHouseEvents,
    private readonly tail: TailReader,
  ) {}

  /** True when PostgreSQL alone cannot answer for a window. @param window omitted for all times */
  async isArchived(window?: { readonly from: Date }): Promise<boolean> {
    return !(await this.hot.haveAllFrom(window?.from));
  }

  /** Called before PostgreSQL answers alone. @throws ArchiveUnavailable when PostgreSQL lacks events of the window */
  async assertNotArchived(window?: { readonly from: Date }): Promise<void> {
    if (await this.isArchived(window)) throw new ArchiveUnavailable();
  }

  /** The instant from which PostgreSQL has every event. Null when it has all events. */
  hotFrom(): Promise<Date | null> {
    return this.hot.from();
  }

  /**
   * Returns the replicated events of a query, grouped. Statements of the same snapshot read the events that are not
   * replicated yet.
   * @throws ArchiveUnavailable
   */
  async grouped(scope: Scope, query: GroupingQuery, tx: Db, bounds: Partial<ReadBounds> = {}): Promise<GroupedEvents> {
    const block = await this.tail.block(scope, tx);
    if (block === null) throw new ArchiveUnavailable();
    const statement = new StatementValues();
    const rows = await this.rows<Record<string, unknown>>(
      scope,
      block,
      (replicated) => GroupedEvents.selectSql(query, replicated, statement.bind),
      statement,
      bounds,
    );
    const events = GroupedEvents.of(query, rows);
    if (events === null) throw new ArchiveUnavailable();
    return events;
  }

  /**
   * Returns the oldest or newest timestamp of the replicated events, or null when there are none.
   * @throws ArchiveUnavailable
   */
  async endOf(
    scope: Scope,
    end: 'first' | 'last',
    where: (bind: BindValue) => string,
    tx: Db,
    bounds: Partial<ReadBounds> = {},
  ): Promise<Date | null> {
    const block = await this.tail.block(scope, tx);
    if (block === null) throw new ArchiveUnavailable();
    const statement = new StatementValues();
    const [row] = await this.rows<{ ms: number }>(
      scope,
      block,
      (replicated) => `toUnixTimestamp64Milli(e.timestamp) AS ms FROM ${replicated} AS e
        WHERE ${where(statement.bind)} ORDER BY e.timestamp ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      statement,
      bounds,
    );
    return row === undefined ? null : new Date(row.ms);
  }

  /**
   * Returns events of ClickHouse as a JSON array of PostgreSQL's rows, for `jsonb_populate_recordset`. Events that
   * ClickHouse lacks are left out.
   * @throws ArchiveUnavailable
   */
  async rowsAt(scope: Scope, locators: readonly Locator[]): Promise<string> {
    if (locators.length === 0) return '[]';
    const statement = new StatementValues();
    // The values are written into the statement, because so many do not fit into the URL of a request.
    const times = writtenNumbers([...new Set(locators.map(({ timestamp }) => timestamp.getTime()))]);
    const within = `e.timestamp IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${times}), 'UTC'))`;
    const ids = writtenIds(locators.map(({ id }) => id));
    const rows = await this.rows<StoredRow>(
      scope,
      ANY_BLOCK,
      (replicated) => `${rowColumns([])} FROM ${replicated} AS e WHERE ${within} AND e.id IN ${ids}`,
      statement,
    );
    return `[${rows.map(rowJson).join(',')}]`;
  }

  /**
   * Passes whole events of the blocks up to `block` to a function in batches, ordered by timestamp and id.
   * @param params the condition on the rows `e`, the maximum number of events, and the large columns that are left
   * empty
   * @param take receives each batch. @returns false to end the read
   * @returns false when the time was exceeded; the events after the last batch are then unknown
   * @throws ArchiveUnavailable
   */
  async each(
    scope: Scope,
    block: number,
    params: (bind: BindValue) => {
      readonly where: string;
      readonly limit: number;
      readonly without: readonly LargeColumn[];
    },
    bounds: ReadBounds,
    take: (rows: readonly ClickHouseRow[]) => Promise<boolean>,
  ): Promise<boolean> {
    const statement = new StatementValues();
    const { bind } = statement;
    const { where, limit, without } = params(bind);
    const select = (replicated: string): string =>
      `${rowColumns(without)} FROM ${replicated} AS e WHERE ${where}
       ORDER BY e.timestamp, UUIDToNum(e.id) LIMIT ${bind(limit, 'UInt64')}`;
    const read = async (): Promise<boolean> => {
      for await (const rows of this.clickHouse.stream<StoredRow>(scope, block, select, statement, bounds)) {
        if (!(await take(rows.map((row) => ({ at: new Date(row.timestamp_ms), json: rowJson(row) }))))) break;
      }
      this.clickHouse.countRead('clickhouse');
      return true;
    };
    try {
      return await this.slots.run(scope.projectId, read, bounds.signal);
    } catch (error) {
      if (error instanceof ClickHouseTimeout) return false;
      if (error instanceof ClickHouseUnavailable) throw new ArchiveUnavailable();
      throw error;
    }
  }

  /** Finds an event by its id. @param near a range that probably contains its timestamp; null searches all times */
  async find<Row>(scope: Scope, id: string, columns: string, near: Window | null): Promise<Row | null> {
    const statement = new StatementValues();
    const { bind } = statement;
    const within =
      near === null ? '' : ` AND e.timestamp BETWEEN ${instantSql(near.from, bind)} AND ${instantSql(near.to, bind)}`;
    const [row] = await this.rows<Row>(
      scope,
      ANY_BLOCK,
      (replicated) => `${columns} FROM ${replicated} AS e WHERE e.id = ${bind(id, 'UUID')}${within} LIMIT 1`,
      statement,
    );
    return row ?? null;
  }

  /** @throws ArchiveUnavailable */
  async rows<Row>(
    scope: Scope,
    block: number,
    select: (replicated: string) => string,
    statement: StatementValues,
    bounds: Partial<ReadBounds> = {},
  ): Promise<Row[]> {
    try {
      const read = (): Promise<Row[] | null> =>
        this.clickHouse.rows<Row>(scope, block, select, statement, { milliseconds: LOOK_MS, ...bounds });
      const rows = await this.slots.run(scope.projectId, read, bounds.signal);
      if (rows !== null) {
        this.clickHouse.countRead('clickhouse');
        return rows;
      }
    } catch (error) {
      if (!(error instanceof ClickHouseTimeout)) throw error;
    }
    throw new ArchiveUnavailable();
  }
}

/** A row as ClickHouse returns it. */
type StoredRow = Readonly<Record<string, unknown>> & {
  readonly properties_text: string;
  readonly timestamp_ms: number;
};

/** The aliases differ from the names of columns, because an alias would hide the column of the same name. */
function rowColumns(without: readonly LargeColumn[]): string {
  const columns = COLUMNS.map((name) => {
    if (FIELD_TABLE[name].type === 'timestamptz') return `toUnixTimestamp64Milli(e.${name}) AS ${name}_ms`;
    if (name === 'properties') return `${without.includes(name) ? `'{}'` : 'e.properties'} AS properties_text`;
    return (without as readonly string[]).includes(name) ? null : `e.${name} AS ${name}`;
  });
  return columns.filter((column) => column !== null).join(', ');
}

/** The properties remain JSON text and are not parsed. */
function rowJson({ properties_text: properties, ...others }: StoredRow): string {
  const row: Record<string, unknown> = { ...others };
  for (const name of TIMES)
    row[name] = new Date((others as Record<string, unknown>)[`${name}_ms`] as number).toISOString();
  return `${JSON.stringify(row).slice(0, -1)},"properties":${properties}}`;
}
