import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { isCanceled } from '../../../../platform/database/database-faults.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { clickHouseFieldReads, clickHouseFilter, type FilterGroup, filterSql } from '../../conditions/index.js';
import {
  ArchiveUnavailable,
  ArchivedEventsReader,
  type ClickHouseRow,
  type LargeColumn,
} from './archived-events.reader.js';
import { TailReader, tailSql } from './tail.reader.js';
import { inWindowsSql } from './windows-sql.js';

/** The size of the JSON text of one INSERT, in bytes. Two such texts are in memory at a time. */
const PIECE_BYTES = 2 * 1024 * 1024;
/**
 * When the condition is exact, this many times the wanted number is staged, because several events may have the
 * timestamp of the last one.
 */
const TIMES_WANTED = 2;

const LARGE: readonly LargeColumn[] = ['message', 'properties'];

interface Window {
  readonly from: Date;
  readonly to: Date;
}

/** The events that were staged for a snapshot. */
interface Loan {
  readonly hotFrom: Date;
  windows: readonly Window[];
  /** Only events before this instant are staged. Null when all are. */
  until: Date | null;
}

/** Selects the events to stage for a snapshot. */
interface Wanted {
  readonly windows: readonly Window[];
  /** Events that do not match may be missing. */
  readonly filter: FilterGroup;
  /** The fields that are read, by the names that conditions use. Other fields may be empty. Null reads all fields. */
  readonly fields: readonly string[] | null;
  /** The caller needs only this many of the oldest matching events. All when omitted. */
  readonly enough?: number;
  /** The time limit in milliseconds. */
  readonly milliseconds: number;
}

/**
 * Copies events that PostgreSQL no longer has into a temporary table, for the duration of one snapshot. A temporary
 * view `events` combines them with the table, and statements of the snapshot use the view. So a reader with many
 * queries about the same few events needs no other SQL.
 */
@Injectable()
export class StagedEventsWriter {
  /** Beyond this number, only the oldest events are staged. */
  mostEvents = 100_000;
  /** The limit for the rows as JSON, in bytes. */
  mostBytes = 64 * 1024 * 1024;
  private readonly loans = new WeakMap<Db, Loan>();

  constructor(
    private readonly database: Database,
    private readonly archived: ArchivedEventsReader,
    private readonly tail: TailReader,
  ) {}

  /**
   * Runs work in a snapshot, like `Database.snapshot`. Within it, {@link stage} can stage events from an instant on.
   */
  async snapshot<T>({ from }: Pick<Window, 'from'>, work: (tx: Db) => Promise<T>): Promise<T> {
    const hotFrom = await this.archived.hotFrom();
    if (hotFrom === null || from >= hotFrom) return this.database.snapshot(work);
    const staging = (tx: Db): Promise<T> => {
      this.loans.set(tx, { hotFrom, windows: [], until: null });
      return work(tx);
    };
    return this.database.snapshot(staging, { isUndone: true });
  }

  /** True when PostgreSQL lacks events that the transaction may read. */
  mayStage(tx: Db): boolean {
    return this.loans.has(tx);
  }

  /**
   * Makes the statements of a {@link snapshot} see all matching events of the project in some windows. Can be called
   * once per snapshot.
   * @returns null, or the instant before which all events are visible when there are too many
   * @throws ArchiveUnavailable
   */
  async stage(projectId: ProjectId, wanted: Wanted, tx: Db): Promise<Date | null> {
    const loan = this.loans.get(tx);
    const windows = loan === undefined ? [] : apart(wanted.windows);
    const archived = windows.flatMap(({ from, to }) =>
      loan && from < loan.hotFrom ? [{ from, to: earlier(to, loan.hotFrom) }] : [],
    );
    const [first] = archived;
    if (loan === undefined || first === undefined) return null;
    const until = performance.now() + wanted.milliseconds;
    const execute = async (sql: string): Promise<void> => {
      await this.limit(until, tx);
      await this.database.execute(sql, [], tx);
    };
    try {
      await this.limit(until, tx);
      const block = await this.tail.block({ projectId }, tx);
      if (block === null) throw new ArchiveUnavailable();
      await execute('CREATE TEMPORARY TABLE lent_events (LIKE events)');
      const cutAt = await this.stageReplicated(projectId, block, { ...wanted, windows: archived }, until, tx);
      for (const window of archived) {
        await this.limit(until, tx);
        await this.stageTail(projectId, window, wanted.filter, tx);
      }
      await execute('CREATE INDEX ON lent_events (project_id, "timestamp", id)');
      await execute('ANALYZE lent_events');
      // Late events that PostgreSQL has of archived months are already among the staged events.
      await execute(
        `CREATE TEMPORARY VIEW events AS SELECT * FROM lent_events
         UNION ALL SELECT /* every tenant: statements compare it as ever */ * FROM events WHERE "timestamp" >= ${literal(loan.hotFrom)}`,
      );
      // A role may be configured to search temporary relations last.
      await execute(`SELECT set_config('search_path', 'pg_temp, ' || current_setting('search_path'), true)`);
      Object.assign(loan, { windows, until: cutAt });
      return cutAt;
    } catch (error) {
      throw isCanceled(error) ? new ArchiveUnavailable() : error;
    }
  }

  /** True when the statements of a transaction see all matching events of a window. */
  isStaged({ from, to }: Window, tx: Db): boolean {
    const loan = this.loans.get(tx);
    if (loan === undefined || (loan.until !== null && to > loan.until)) return false;
    return loan.windows.some((window) => window.from <= from && window.to >= to);
  }

  /**
   * Stages replicated events, ordered by timestamp and id. @returns the timestamp of the first event that was left out,
   * or null when all are staged
   */
  private async stageReplicated(
    projectId: ProjectId,
    block: number,
    { windows, filter, fields, enough }: Wanted,
    deadline: number,
    tx: Db,
  ): Promise<Date | null> {
    let most = this.mostEvents;
    const without = LARGE.filter((name) => fields?.every((field) => !readsColumn(field, name)) === true);
    const query = (bind: BindValue): { where: string; limit: number; without: readonly LargeColumn[] } => {
      const { sql, isExact } = clickHouseFilter(filter, bind);
      if (isExact && enough !== undefined) most = Math.min(most, TIMES_WANTED * enough);
      // One additional row shows whether there are more.
      return { where: `${inWindowsSql(windows, bind)} AND ${sql}`, limit: most + 1, without };
    };
    const pieces = new Pieces((rows) => this.insert(rows, deadline, tx));
    /** The timestamps of the last event that was read, and of the first event that was not staged. */
    const seen: { last: Date | null; left: Date | null } = { last: null, left: null };
    const take = async (rows: readonly ClickHouseRow[]): Promise<boolean> => {
      for (const row of rows) {
        seen.last = row.at;
        if (pieces.taken >= most || pieces.bytes >= this.mostBytes || performance.now() >= deadline) {
          seen.left = row.at;
          return false;
        }
        await pieces.add(row.json);
      }
      return true;
    };
    const bounds = { milliseconds: Math.max(1, Math.ceil(deadline - performance.now())) };
    const isWhole = await this.archived.each({ projectId }, block, query, bounds, take);
    await pieces.end();
    if (isWhole) return seen.left;
    if (seen.last === null) throw new ArchiveUnavailable();
    return seen.last;
  }

  /** Limits the next statement to the remaining time. */
  private limit(until: number, tx: Db): Promise<void> {
    return this.database.limit(tx, Math.max(1, until - performance.now()));
  }

  private async insert(rows: readonly string[], until: number, tx: Db): Promise<void> {
    await this.limit(until, tx);
    await this.database.execute(
      'INSERT INTO lent_events SELECT * FROM jsonb_populate_recordset(NULL::lent_events, $1::jsonb)',
      [`[${rows.join(',')}]`],
      tx,
    );
  }

  private async stageTail(projectId: ProjectId, window: Window, filter: FilterGroup, tx: Db): Promise<void> {
    const parameters = new Parameters();
    const bind: Bind = (value) => parameters.bind(value);
    await this.database.execute(
      `INSERT INTO lent_events SELECT e.* FROM ${tailSql(projectId, window, filterSql(filter, bind), bind)}
       /* tenant: compared there */`,
      parameters.values,
      tx,
    );
  }
}

/** Buffers rows for INSERT. The next rows are collected while a batch is inserted. */
class Pieces {
  taken = 0;
  bytes = 0;
  private rows: string[] = [];
  private waiting = 0;
  private inserted: Promise<void> = Promise.resolve();

  constructor(private readonly insert: (rows: readonly string[]) => Promise<void>) {}

  async add(row: string): Promise<void> {
    const bytes = Buffer.byteLength(row);
    this.taken += 1;
    this.bytes += bytes;
    this.waiting += bytes;
    this.rows.push(row);
    if (this.waiting >= PIECE_BYTES) await this.next();
  }

  /** Resolves when all rows are inserted. */
  async end(): Promise<void> {
    await this.next();
    await this.inserted;
  }

  private async next(): Promise<void> {
    const { rows } = this;
    this.rows = [];
    this.waiting = 0;
    await this.inserted;
    if (rows.length === 0) return;
    this.inserted = this.insert(rows);
    // The next call reports the error. Without a next call, the caller already failed for another reason.
    this.inserted.catch(() => undefined);
  }
}

/** Merges windows that overlap or touch, in ascending order. */
function apart(windows: readonly Window[]): Window[] {
  const all: { from: Date; to: Date }[] = [];
  for (const { from, to } of [...windows].sort((one, other) => one.from.getTime() - other.from.getTime())) {
    const last = all.at(-1);
    if (last === undefined || from > last.to) all.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return all;
}

function readsColumn(field: string, column: LargeColumn): boolean {
  return field.split('.')[0] === column || (column === 'properties' && clickHouseFieldReads(field).length > 0);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** The text of a Date cannot contain a quote. A view cannot have parameters. */
function literal(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
