import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { isCanceled } from '../../../../platform/database/database-faults.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { copiedFilter, type FilterGroup, filterSql } from '../../conditions/index.js';
import { ArchiveUnavailable, ColdEventsReader, type CopiedRow, type LargeColumn } from './cold-events.reader.js';
import { UncopiedEventsReader, uncopiedSql } from './uncopied-events.reader.js';
import { inWindowsSql } from './windows-sql.js';

/** What is inserted at once, of which two are in memory at a time: JSON text. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** Of those that surely fit, so many times as many as are wanted: some may be of the same instant as the last one. */
const TIMES_WANTED = 2;

const LARGE: readonly LargeColumn[] = ['message', 'properties'];

interface Window {
  readonly from: Date;
  readonly to: Date;
}

/** What is lent to a snapshot. */
interface Loan {
  readonly hotFrom: Date;
  windows: readonly Window[];
  /** What is there of them ends before; null: all is there. */
  until: Date | null;
}

/** Which events a snapshot is lent. */
interface Wanted {
  readonly windows: readonly Window[];
  /** Others need not be there. */
  readonly filter: FilterGroup;
  /** What is looked at, as conditions name it; others may be empty. Null: all. */
  readonly fields: readonly string[] | null;
  /** So many that fit are enough; left out: all are wanted. */
  readonly enough?: number;
  /** What it may take, in milliseconds. */
  readonly milliseconds: number;
}

/**
 * Lends PostgreSQL the events that it does not have any more, for as long as one snapshot lasts: there is a relation `events` then
 * that has both, which statements find before the table. So whoever asks many questions about the same few events asks as ever.
 */
@Injectable()
export class LentEventsWriter {
  /** Beyond these, those that happened first are lent. */
  mostEvents = 100_000;
  /** Of their rows as JSON. */
  mostBytes = 64 * 1024 * 1024;
  private readonly loans = new WeakMap<Db, Loan>();

  constructor(
    private readonly database: Database,
    private readonly cold: ColdEventsReader,
    private readonly uncopied: UncopiedEventsReader,
  ) {}

  /** As `Database.snapshot`, of which events may be asked {@link lend} from an instant on. */
  async snapshot<T>({ from }: Pick<Window, 'from'>, work: (tx: Db) => Promise<T>): Promise<T> {
    const hotFrom = await this.cold.hotFrom();
    if (hotFrom === null || from >= hotFrom) return this.database.snapshot(work);
    const lending = (tx: Db): Promise<T> => {
      this.loans.set(tx, { hotFrom, windows: [], until: null });
      return work(tx);
    };
    return this.database.snapshot(lending, { isUndone: true });
  }

  /** Whether PostgreSQL lacks events that may be asked for in a transaction. */
  mayLend(tx: Db): boolean {
    return this.loans.has(tx);
  }

  /**
   * Once for a snapshot of {@link snapshot}: has its statements see all events of the project that fit in some windows.
   * @returns null; or where there are too many, the instant before which all are seen
   * @throws ArchiveUnavailable
   */
  async lend(projectId: ProjectId, wanted: Wanted, tx: Db): Promise<Date | null> {
    const loan = this.loans.get(tx);
    const windows = loan === undefined ? [] : apart(wanted.windows);
    const cold = windows.flatMap(({ from, to }) =>
      loan && from < loan.hotFrom ? [{ from, to: earlier(to, loan.hotFrom) }] : [],
    );
    const [first] = cold;
    if (loan === undefined || first === undefined) return null;
    const until = performance.now() + wanted.milliseconds;
    const execute = async (sql: string): Promise<void> => {
      await this.limit(until, tx);
      await this.database.execute(sql, [], tx);
    };
    try {
      await this.limit(until, tx);
      const block = await this.uncopied.block({ projectId }, tx);
      if (block === null) throw new ArchiveUnavailable();
      await execute('CREATE TEMPORARY TABLE lent_events (LIKE events)');
      const cutAt = await this.lendCopied(projectId, block, { ...wanted, windows: cold }, until, tx);
      for (const window of cold) {
        await this.limit(until, tx);
        await this.lendUncopied(projectId, window, wanted.filter, tx);
      }
      await execute('CREATE INDEX ON lent_events (project_id, "timestamp", id)');
      await execute('ANALYZE lent_events');
      // What PostgreSQL still has of the time before is among what was lent.
      await execute(
        `CREATE TEMPORARY VIEW events AS SELECT * FROM lent_events
         UNION ALL SELECT /* every tenant: statements compare it as ever */ * FROM events WHERE "timestamp" >= ${literal(loan.hotFrom)}`,
      );
      // A role may look for temporary relations last.
      await execute(`SELECT set_config('search_path', 'pg_temp, ' || current_setting('search_path'), true)`);
      Object.assign(loan, { windows, until: cutAt });
      return cutAt;
    } catch (error) {
      throw isCanceled(error) ? new ArchiveUnavailable() : error;
    }
  }

  /** Whether statements of a transaction see all events of a window that fit, which were lent to it. */
  hasLent({ from, to }: Window, tx: Db): boolean {
    const loan = this.loans.get(tx);
    if (loan === undefined || (loan.until !== null && to > loan.until)) return false;
    return loan.windows.some((window) => window.from <= from && window.to >= to);
  }

  /** In the order of their keys. @returns the instant of the first one that is not among them; null: all are */
  private async lendCopied(
    projectId: ProjectId,
    block: number,
    { windows, filter, fields, enough }: Wanted,
    deadline: number,
    tx: Db,
  ): Promise<Date | null> {
    let most = this.mostEvents;
    const without = LARGE.filter((name) => fields?.every((field) => field.split('.')[0] !== name) === true);
    const asked = (bind: BindValue): { where: string; limit: number; without: readonly LargeColumn[] } => {
      const { sql, isExact } = copiedFilter(filter, bind);
      if (isExact && enough !== undefined) most = Math.min(most, TIMES_WANTED * enough);
      // One more tells whether there are others.
      return { where: `${inWindowsSql(windows, bind)} AND ${sql}`, limit: most + 1, without };
    };
    const pieces = new Pieces((rows) => this.insert(rows, deadline, tx));
    /** The last one that was seen, and the first one that is not lent. */
    const seen: { last: Date | null; left: Date | null } = { last: null, left: null };
    const take = async (rows: readonly CopiedRow[]): Promise<boolean> => {
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
    const isWhole = await this.cold.each({ projectId }, block, asked, bounds, take);
    await pieces.end();
    if (isWhole) return seen.left;
    if (seen.last === null) throw new ArchiveUnavailable();
    return seen.last;
  }

  /** Gives the next statement what is left until then. */
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

  private async lendUncopied(projectId: ProjectId, window: Window, filter: FilterGroup, tx: Db): Promise<void> {
    const parameters = new Parameters();
    const bind: Bind = (value) => parameters.bind(value);
    await this.database.execute(
      `INSERT INTO lent_events SELECT e.* FROM ${uncopiedSql(projectId, window, filterSql(filter, bind), bind)}
       /* tenant: compared there */`,
      parameters.values,
      tx,
    );
  }
}

/** Rows on their way: while some are inserted, the next ones are gathered. */
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

  /** Resolves when all are inserted. */
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
    // Whoever goes on is told; where nobody does, it failed for another reason.
    this.inserted.catch(() => undefined);
  }
}

/** Windows that have no instant in common, in their order. */
function apart(windows: readonly Window[]): Window[] {
  const all: { from: Date; to: Date }[] = [];
  for (const { from, to } of [...windows].sort((one, other) => one.from.getTime() - other.from.getTime())) {
    const last = all.at(-1);
    if (last === undefined || from > last.to) all.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return all;
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** What comes of a Date cannot hold a quote; a view takes no parameters. */
function literal(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
