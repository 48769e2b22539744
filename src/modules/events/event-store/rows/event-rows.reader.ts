import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import type { Locator } from '../lists/cursor.js';
import { type EventLocator, MEASURED_BYTES } from '../lists/event-locator.js';

/**
 * Limits how many events without a recorded size are measured in one statement, by their stored size. The text may be a
 * hundred times as large.
 */
const MEASURED_AT_ONCE_BYTES = 32 * 1024;
const MEASURED_AT_ONCE = 200;

type Scope = Pick<ProjectScope, 'projectId'>;

/** Locators that are read together, and the total size of their events in bytes. */
export interface Fitting {
  readonly locators: readonly EventLocator[];
  readonly bytes: number;
}

/** The columns that are read of each event, and the type of the resulting row. */
export interface Selection<Row> {
  readonly columns: string;
  /** A JOIN clause after `events`. */
  readonly join?: string | undefined;
  /** Only used for type inference. */
  readonly row?: Row;
}

const KNOWN: Selection<{ id: string }> = { columns: 'id' };
const MEASURED: Selection<{ id: string; measured: number }> = { columns: `id, ${MEASURED_BYTES} AS measured` };

/** Reads events whose locators are known, limited by a number of bytes. */
@Injectable()
export class EventRowsReader {
  constructor(
    private readonly database: Database,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /**
   * Returns as many of the first locators as fit into the limit with their events, and at least one if there are any.
   * @param tx a snapshot whose time limit applies; without it each statement runs separately
   */
  async fit(scope: Scope, locators: readonly EventLocator[], mostBytes: number, tx?: Db): Promise<Fitting> {
    const measured = new Map<EventLocator, number>();
    const fitting: EventLocator[] = [];
    let bytes = 0;
    for (const [index, locator] of locators.entries()) {
      if (locator.bytes === null && !measured.has(locator))
        await this.measure(scope, locators.slice(index), measured, tx);
      const next = locator.bytes ?? measured.get(locator) ?? 0;
      if (fitting.length > 0 && bytes + next > mostBytes) break;
      fitting.push(locator);
      bytes += next;
    }
    return { locators: fitting, bytes };
  }

  /**
   * Returns rows in the order of the locators. Events that were deleted meanwhile are missing.
   * @param tx as in {@link fit}
   * @throws ArchiveUnavailable
   */
  async read<Row>(scope: Scope, locators: readonly Locator[], selection: Selection<Row>, tx?: Db): Promise<Row[]> {
    if (locators.length === 0) return [];
    const hotFrom = await this.archived.hotFrom();
    const old = locators.filter(({ timestamp }) => hotFrom !== null && timestamp < hotFrom);
    if (old.length === 0) return this.rows(scope, locators, selection, tx);
    const read = async (snapshot: Db): Promise<Row[]> => {
      // Late events may still be in PostgreSQL. They stay readable in this snapshot: a month that was read is locked
      // until the transaction ends, and the snapshot still sees removed rows.
      const kept = new Set((await this.rows(scope, old, KNOWN, snapshot)).map(({ id }) => id));
      const missing = new Set(old.filter(({ id }) => !kept.has(id)));
      const here = locators.filter((locator) => !missing.has(locator));
      const archivedRows = missing.size === 0 ? null : await this.archived.rowsAt(scope, [...missing]);
      const rows = [
        ...(await this.numbered(scope, here, selection, null, snapshot)),
        ...(archivedRows === null ? [] : await this.numbered(scope, [...missing], selection, archivedRows, snapshot)),
      ];
      const at = new Map(locators.map(({ id }, index) => [id, index]));
      return rows.sort((one, other) => (at.get(one.which) ?? 0) - (at.get(other.which) ?? 0)).map(({ row }) => row);
    };
    return tx === undefined ? this.database.snapshot(read) : read(tx);
  }

  private rows<Row>(
    scope: Scope,
    locators: readonly Locator[],
    { columns, join }: Selection<Row>,
    tx: Db | undefined,
  ): Promise<Row[]> {
    const { bind, values } = new Parameters();
    return this.database.rows<Row>(rowsSql(scope, locators, { columns, join }, null, bind), values, tx);
  }

  /** Returns each row with the id of its event. */
  private async numbered<Row>(
    scope: Scope,
    locators: readonly Locator[],
    { columns, join }: Selection<Row>,
    archivedRows: string | null,
    tx: Db,
  ): Promise<{ readonly which: string; readonly row: Row }[]> {
    if (locators.length === 0) return [];
    const { bind, values } = new Parameters();
    const query = { columns: `which AS "whichEvent", ${columns}`, join };
    const sql = rowsSql(scope, locators, query, archivedRows, bind);
    const rows = await this.database.rows<Row & { whichEvent: string }>(sql, values, tx);
    return rows.map(({ whichEvent: which, ...row }) => ({ which, row: row as Row }));
  }

  private async measure(
    scope: Scope,
    locators: readonly EventLocator[],
    measured: Map<EventLocator, number>,
    tx: Db | undefined,
  ): Promise<void> {
    const together: EventLocator[] = [];
    let stored = 0;
    for (const locator of locators) {
      if (locator.bytes !== null) continue;
      stored += locator.stored ?? 0;
      if (together.length > 0 && (stored > MEASURED_AT_ONCE_BYTES || together.length >= MEASURED_AT_ONCE)) break;
      together.push(locator);
    }
    const rows = await this.read(scope, together, MEASURED, tx);
    const sizes = new Map(rows.map(({ id, measured: size }) => [id, size]));
    for (const locator of together) measured.set(locator, sizes.get(locator.id) ?? 0);
  }
}

/**
 * Reads events along their primary key.
 * @param archivedRows whole rows as JSON, which are read in place of the table
 */
function rowsSql(
  { projectId }: Scope,
  locators: readonly Locator[],
  { columns, join = '' }: Pick<Selection<unknown>, 'columns' | 'join'>,
  archivedRows: string | null,
  bind: Bind,
): string {
  const times = locators.map(({ timestamp }) => timestamp.getTime());
  const project = bind(projectId);
  const wanted = `unnest(${bind(locators.map(({ timestamp }) => timestamp))}::timestamptz[], ${bind(locators.map(({ id }) => id))}::uuid[])`;
  const within = [Math.min(...times), Math.max(...times)].map((ms) => bind(new Date(ms)));
  const events =
    archivedRows === null ? 'events' : `jsonb_populate_recordset(NULL::events, ${bind(archivedRows)}::jsonb) AS events`;
  return `SELECT ${columns} FROM ${wanted} WITH ORDINALITY AS wanted (at, which, n)
    JOIN ${events} ON project_id = ${project} AND "timestamp" = at AND id = which
      AND "timestamp" BETWEEN ${within.join(' AND ')} ${join}
    ORDER BY n`;
}
