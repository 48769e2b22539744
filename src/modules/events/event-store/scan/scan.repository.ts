import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { KEPT_COLUMNS, readColumnsWhere, type StoredEvent } from '../../fields/index.js';
import { type EventSize, SIZE_COLUMNS } from '../lists/event-locator.js';
import type { TimeWindow } from '../totals/coverage.js';
import { tailSql } from '../reading/tail.reader.js';
import type { ReadDeadline } from '../../long-reads/index.js';
import type { ScanRow, ScanSelection } from './scan-selection.js';
import type { StatementTime } from './statement-time.js';

type Scope = Pick<ProjectScope, 'projectId'>;

/** Records are read with their candidates up to this total size. Two such reads may run at a time. */
const SMALL_RECORDS_BYTES = 128 * 1_024;

/** The members of the event are null when its record was not read. */
interface FirstRow extends StoredEvent, EventSize {
  readonly ms: number;
  readonly bits: number;
  readonly isRead: boolean;
}

export interface Reading {
  readonly isNewestFirst: boolean;
  readonly deadline: ReadDeadline;
  /** An additional condition on `events e`. */
  readonly within?: (bind: Bind) => string;
}

/** Reads candidates in the transaction of the query. */
@Injectable()
export class ScanRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads the first candidates of a window with their sizes, oldest first or newest first. Small records are read in
   * the same statement, because a second statement would take most of the time of a short answer.
   */
  async first(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    reading: Reading,
    most: number,
    time: StatementTime,
  ): Promise<ScanRow[]> {
    const parameters = new Parameters();
    const columns = `, ${SIZE_COLUMNS}, ${KEPT_COLUMNS}`;
    const candidates = scanSql(scope, window, selection, reading, parameters.bind, columns);
    const order = reading.isNewestFirst ? ' DESC' : '';
    const isSmall = `up_to <= ${SMALL_RECORDS_BYTES}`;
    await this.limit(tx, time);
    const rows = await this.database.rows<FirstRow>(
      `SELECT ms, id, bits, bytes, stored, ${isSmall} AS "isRead", ${readColumnsWhere(isSmall)}
       FROM (SELECT *, sum(coalesce(bytes, ${SMALL_RECORDS_BYTES + 1})) OVER (ORDER BY ms${order}, id${order}) AS up_to
             FROM (${candidates} LIMIT ${parameters.bind(most)}) found) measured /* tenant: candidates compare the project */
       ORDER BY ms${order}, id${order}`,
      parameters.values,
      tx,
    );
    return rows.map((row) => ({
      id: row.id,
      ms: row.ms,
      bits: row.bits,
      size: { bytes: row.bytes, stored: row.stored },
      ...(row.isRead && { record: row }),
    }));
  }

  /** Reads the candidates that are not replicated to ClickHouse yet, oldest first or newest first. */
  async tail(
    tx: Db,
    { projectId }: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    { isNewestFirst, deadline, within }: Reading,
    most: number,
  ): Promise<ScanRow[]> {
    const parameters = new Parameters();
    const { bind } = parameters;
    const { columns, where } = selection.sql(bind);
    const conditions = within === undefined ? where : `${where} AND ${within(bind)}`;
    const order = isNewestFirst ? ' DESC' : '';
    await this.database.limit(tx, deadline.left());
    const rows = await this.database.rows<ScanRow>(
      `SELECT ${columns} FROM ${tailSql(projectId, window, conditions, bind)} /* tenant: compared there */
       ORDER BY e."timestamp"${order}, e.id${order} LIMIT ${bind(most)}`,
      parameters.values,
      tx,
    );
    return rows.map((row) => selection.read(row));
  }

  /**
   * Opens a cursor over the candidates of a window, oldest first or newest first. A transaction can have only one such
   * cursor at a time.
   */
  async open(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: ScanSelection,
    reading: Reading,
    time: StatementTime,
  ): Promise<void> {
    const parameters = new Parameters();
    const candidates = scanSql(scope, window, selection, reading, parameters.bind);
    await this.limit(tx, time);
    await this.database.execute(`DECLARE candidates NO SCROLL CURSOR FOR ${candidates}`, parameters.values, tx);
  }

  /** Fetches the next candidates. Fewer rows than `most` mean that there are no more. */
  async fetch(tx: Db, selection: ScanSelection, most: number, time: StatementTime): Promise<ScanRow[]> {
    await this.limit(tx, time);
    const rows = await this.database.rows<ScanRow>(`FETCH ${most} FROM candidates`, [], tx);
    return rows.map((row) => selection.read(row));
  }

  async close(tx: Db): Promise<void> {
    await this.database.execute('CLOSE candidates', [], tx);
  }

  /** Reads the properties that were left out when a large event was selected. */
  async properties(
    tx: Db,
    { projectId }: Scope,
    { ms, id }: Pick<ScanRow, 'ms' | 'id'>,
    selection: ScanSelection,
    time: StatementTime,
  ): Promise<Readonly<Record<string, unknown>>> {
    const parameters = new Parameters();
    const columns = selection.propertiesSql(parameters.bind);
    await this.limit(tx, time);
    const [row] = await this.database.rows<Readonly<Record<string, unknown>>>(
      `SELECT ${columns} FROM events e
       WHERE e.project_id = ${parameters.bind(projectId)} AND e."timestamp" = ${parameters.bind(new Date(ms))}
         AND e.id = ${parameters.bind(id)}`,
      parameters.values,
      tx,
    );
    return selection.values(row ?? {});
  }

  private async limit(tx: Db, time: StatementTime): Promise<void> {
    const milliseconds = time.next();
    if (milliseconds !== null) await this.database.limit(tx, milliseconds);
  }
}

function scanSql(
  { projectId }: Scope,
  window: TimeWindow,
  selection: ScanSelection,
  { isNewestFirst, within }: Reading,
  bind: Bind,
  columnsBeside = '',
): string {
  const { columns, where } = selection.sql(bind);
  const others = within === undefined ? '' : ` AND ${within(bind)}`;
  const order = isNewestFirst ? ' DESC' : '';
  return `SELECT ${columns}${columnsBeside} FROM events e
    WHERE e.project_id = ${bind(projectId)} AND e."timestamp" >= ${bind(window.from)}
      AND e."timestamp" < ${bind(window.to)} AND ${where}${others}
    ORDER BY e."timestamp"${order}, e.id${order}`;
}
