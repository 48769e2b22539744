import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import { type EventColumn, FIELD_TABLE, instantSql } from '../../fields/index.js';
import { HotEvents } from '../retention/hot-events.js';
import { AlikeEvents, type AlikeQuestion } from './alike-events.js';
import { CopiedEventsReader, CopyCannotTell, CopyReadTooLong } from './copied-events.reader.js';
import { UncopiedEventsReader } from './uncopied-events.reader.js';
import { writtenIds, writtenNumbers } from './written-values.js';

/** What a look for events that PostgreSQL does not have may take, where the reader has no time of its own. */
const LOOK_MS = 5_000;
/** Looks of a process at once, and of a project: each may hold a connection to both. */
const TURNS = { parallel: 8, parallelOfShare: 2, mostWaiting: 16, mostWaitingOfShare: 4 };
const PATIENCE_MS = 3_000;
/** Every block. */
const ANY_BLOCK = Number.MAX_SAFE_INTEGER;

type Scope = Pick<ProjectScope, 'projectId'>;
type Window = { readonly from: Date; readonly to: Date };

/** Where an event lies. */
interface Place {
  readonly timestamp: Date;
  readonly id: string;
}

/** What takes most of an event, and may be left out. */
export type LargeColumn = 'message' | 'properties';

/** An event of ClickHouse, as JSON of PostgreSQL's row. */
export interface CopiedRow {
  readonly at: Date;
  readonly json: string;
}

/** PostgreSQL has no events that old any more, and ClickHouse cannot tell. */
export class ArchiveUnavailable extends domainError(
  503,
  'Older events cannot be read at the moment: choose a shorter range or try again later',
) {
  override readonly headers = { 'Retry-After': '10' };
}

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];
const TIMES = COLUMNS.filter((name) => FIELD_TABLE[name].type === 'timestamptz');

/**
 * Events that PostgreSQL may not have any more (EVENTS_HOT_DAYS): what it has of older ones came late. So whoever asks for
 * such a time has to ask ClickHouse, and is refused where that cannot tell.
 */
@Injectable()
export class ColdEventsReader {
  private readonly turns = new FairSemaphore({ ...TURNS, patience: { ms: PATIENCE_MS, refusal: ArchiveUnavailable } });

  constructor(
    private readonly hot: HotEvents,
    private readonly copied: CopiedEventsReader,
    private readonly uncopied: UncopiedEventsReader,
  ) {}

  /** Whether PostgreSQL alone cannot answer about a window. @param window left out: all times */
  async isCold(window?: { readonly from: Date }): Promise<boolean> {
    return !(await this.hot.haveAllFrom(window?.from));
  }

  /** PostgreSQL is to answer alone. @throws ArchiveUnavailable where it lacks events of the window */
  async needHot(window?: { readonly from: Date }): Promise<void> {
    if (await this.isCold(window)) throw new ArchiveUnavailable();
  }

  /** Where PostgreSQL's events begin; null: it has all. */
  hotFrom(): Promise<Date | null> {
    return this.hot.from();
  }

  /**
   * What ClickHouse has of the events that are asked for, those that are alike as one. The rest is among what is not copied, for
   * statements of the same snapshot.
   * @throws ArchiveUnavailable
   */
  async alike(scope: Scope, question: AlikeQuestion, tx: Db, bounds: Partial<ReadBounds> = {}): Promise<AlikeEvents> {
    const block = await this.uncopied.block(scope, tx);
    if (block === null) throw new ArchiveUnavailable();
    const statement = new StatementValues();
    const rows = await this.rows<Record<string, unknown>>(
      scope,
      block,
      (copied) => AlikeEvents.selectSql(question, copied, statement.bind),
      statement,
      bounds,
    );
    const events = AlikeEvents.of(question, rows);
    if (events === null) throw new ArchiveUnavailable();
    return events;
  }

  /**
   * The oldest or the newest timestamp of the events that are asked for and are copied; null without any.
   * @throws ArchiveUnavailable
   */
  async endOf(
    scope: Scope,
    end: 'first' | 'last',
    where: (bind: BindValue) => string,
    tx: Db,
    bounds: Partial<ReadBounds> = {},
  ): Promise<Date | null> {
    const block = await this.uncopied.block(scope, tx);
    if (block === null) throw new ArchiveUnavailable();
    const statement = new StatementValues();
    const [row] = await this.rows<{ ms: number }>(
      scope,
      block,
      (copied) => `toUnixTimestamp64Milli(e.timestamp) AS ms FROM ${copied} AS e
        WHERE ${where(statement.bind)} ORDER BY e.timestamp ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      statement,
      bounds,
    );
    return row === undefined ? null : new Date(row.ms);
  }

  /**
   * Events of ClickHouse as a JSON array of PostgreSQL's rows, for `jsonb_populate_recordset`; those it lacks are missing.
   * @throws ArchiveUnavailable
   */
  async rowsAt(scope: Scope, places: readonly Place[]): Promise<string> {
    if (places.length === 0) return '[]';
    const statement = new StatementValues();
    // Written into the statement, as so many have no room in an address.
    const times = writtenNumbers([...new Set(places.map(({ timestamp }) => timestamp.getTime()))]);
    const within = `e.timestamp IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${times}), 'UTC'))`;
    const ids = writtenIds(places.map(({ id }) => id));
    const rows = await this.rows<StoredRow>(
      scope,
      ANY_BLOCK,
      (copied) => `${rowColumns([])} FROM ${copied} AS e WHERE ${within} AND e.id IN ${ids}`,
      statement,
    );
    return `[${rows.map(rowJson).join(',')}]`;
  }

  /**
   * Hands on whole events of the blocks up to `block` in the order of their keys, some at a time.
   * @param asked which of the rows `e`, how many at most, and large columns that come empty
   * @param take what becomes of them. @returns whether others are wanted
   * @returns false where it took too long; what comes behind the last ones that were handed on is not known then
   * @throws ArchiveUnavailable
   */
  async each(
    scope: Scope,
    block: number,
    asked: (bind: BindValue) => {
      readonly where: string;
      readonly limit: number;
      readonly without: readonly LargeColumn[];
    },
    bounds: ReadBounds,
    take: (rows: readonly CopiedRow[]) => Promise<boolean>,
  ): Promise<boolean> {
    const statement = new StatementValues();
    const { bind } = statement;
    const { where, limit, without } = asked(bind);
    const select = (copied: string): string =>
      `${rowColumns(without)} FROM ${copied} AS e WHERE ${where}
       ORDER BY e.timestamp, UUIDToNum(e.id) LIMIT ${bind(limit, 'UInt64')}`;
    const read = async (): Promise<boolean> => {
      for await (const rows of this.copied.stream<StoredRow>(scope, block, select, statement, bounds)) {
        if (!(await take(rows.map((row) => ({ at: new Date(row.timestamp_ms), json: rowJson(row) }))))) break;
      }
      this.copied.answered('clickhouse');
      return true;
    };
    try {
      return await this.turns.run(scope.projectId, read, bounds.signal);
    } catch (error) {
      if (error instanceof CopyReadTooLong) return false;
      if (error instanceof CopyCannotTell) throw new ArchiveUnavailable();
      throw error;
    }
  }

  /** Where an event lies that is known by its id. @param near its timestamp probably lies within; null: anywhere */
  async find<Row>(scope: Scope, id: string, columns: string, near: Window | null): Promise<Row | null> {
    const statement = new StatementValues();
    const { bind } = statement;
    const within =
      near === null ? '' : ` AND e.timestamp BETWEEN ${instantSql(near.from, bind)} AND ${instantSql(near.to, bind)}`;
    const [row] = await this.rows<Row>(
      scope,
      ANY_BLOCK,
      (copied) => `${columns} FROM ${copied} AS e WHERE e.id = ${bind(id, 'UUID')}${within} LIMIT 1`,
      statement,
    );
    return row ?? null;
  }

  /** @throws ArchiveUnavailable */
  async rows<Row>(
    scope: Scope,
    block: number,
    select: (copied: string) => string,
    statement: StatementValues,
    bounds: Partial<ReadBounds> = {},
  ): Promise<Row[]> {
    try {
      const read = (): Promise<Row[] | null> =>
        this.copied.rows<Row>(scope, block, select, statement, { milliseconds: LOOK_MS, ...bounds });
      const rows = await this.turns.run(scope.projectId, read, bounds.signal);
      if (rows !== null) {
        this.copied.answered('clickhouse');
        return rows;
      }
    } catch (error) {
      if (!(error instanceof CopyReadTooLong)) throw error;
    }
    throw new ArchiveUnavailable();
  }
}

/** A row as ClickHouse gives it. */
type StoredRow = Readonly<Record<string, unknown>> & {
  readonly properties_text: string;
  readonly timestamp_ms: number;
};

/** The names differ from those of columns, which could no longer be asked for under theirs. */
function rowColumns(without: readonly LargeColumn[]): string {
  const columns = COLUMNS.map((name) => {
    if (FIELD_TABLE[name].type === 'timestamptz') return `toUnixTimestamp64Milli(e.${name}) AS ${name}_ms`;
    if (name === 'properties') return `${without.includes(name) ? `'{}'` : 'e.properties'} AS properties_text`;
    return (without as readonly string[]).includes(name) ? null : `e.${name} AS ${name}`;
  });
  return columns.filter((column) => column !== null).join(', ');
}

/** Properties stay the text that they are: nobody here looks into them. */
function rowJson({ properties_text: properties, ...others }: StoredRow): string {
  const row: Record<string, unknown> = { ...others };
  for (const name of TIMES)
    row[name] = new Date((others as Record<string, unknown>)[`${name}_ms`] as number).toISOString();
  return `${JSON.stringify(row).slice(0, -1)},"properties":${properties}}`;
}
