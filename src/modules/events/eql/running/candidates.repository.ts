import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { propertySql } from '../../conditions/index.js';
import {
  type Deadline,
  type EventPlace,
  type EventSize,
  type Place,
  PLACE_COLUMNS,
  SIZE_COLUMNS,
} from '../../reads/index.js';
import type { TimeWindow } from '../../totals/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import type { StatementTime } from './statement-time.js';

type Scope = Pick<ProjectScope, 'projectId'>;

export interface Reading {
  readonly isNewestFirst: boolean;
  readonly deadline: Deadline;
  /** A condition on `events e` beside that of the selection. */
  readonly within?: (bind: Bind) => string;
}

/** Reads the events that queries are about, in the transaction of the query. */
@Injectable()
export class CandidatesRepository {
  constructor(private readonly database: Database) {}

  /** The first candidates of a window in their order, or in the opposite one, with their sizes. */
  async first(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: CandidateSelection,
    reading: Reading,
    most: number,
    time: StatementTime,
  ): Promise<CandidateRow[]> {
    const parameters = new Parameters();
    const candidates = candidatesSql(scope, window, selection, reading, parameters.bind, `, ${SIZE_COLUMNS}`);
    await this.limit(tx, time);
    const rows = await this.database.rows<CandidateRow & EventSize>(
      `${candidates} LIMIT ${parameters.bind(most)}`,
      parameters.values,
      tx,
    );
    return rows.map(({ bytes, stored, ...row }) => ({ ...row, size: { bytes, stored } }));
  }

  /** Begins to read the candidates of a window in their order, or in the opposite one. One reading of a transaction at a time. */
  async open(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: CandidateSelection,
    reading: Reading,
    time: StatementTime,
  ): Promise<void> {
    const parameters = new Parameters();
    const candidates = candidatesSql(scope, window, selection, reading, parameters.bind);
    await this.limit(tx, time);
    await this.database.execute(`DECLARE candidates NO SCROLL CURSOR FOR ${candidates}`, parameters.values, tx);
  }

  /** The next ones; fewer when there are no others. */
  async fetch(tx: Db, most: number, time: StatementTime): Promise<CandidateRow[]> {
    await this.limit(tx, time);
    return this.database.rows<CandidateRow>(`FETCH ${most} FROM candidates`, [], tx);
  }

  async close(tx: Db): Promise<void> {
    await this.database.execute('CLOSE candidates', [], tx);
  }

  /** What a row was selected without because its event is large. */
  async properties(
    tx: Db,
    { projectId }: Scope,
    { ms, id }: Pick<CandidateRow, 'ms' | 'id'>,
    selection: CandidateSelection,
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
    return row ?? {};
  }

  /** Where the newest events of a project lie, newest first. */
  newest({ projectId }: Scope, limit: number): Promise<EventPlace[]> {
    return this.database.rows<EventPlace>(
      `SELECT ${PLACE_COLUMNS} FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT $2`,
      [projectId, limit],
    );
  }

  /** For each path, whether one of the newest events has something there; false where these are not all small, too. */
  async newestHave(
    { projectId }: Scope,
    { events, mostBytes }: { readonly events: number; readonly mostBytes: number },
    paths: readonly (readonly string[])[],
  ): Promise<boolean[]> {
    const parameters = new Parameters();
    const isSmall = `coalesce(e.bytes <= ${parameters.bind(mostBytes)}, false)`;
    const tests = paths.map(
      (path) =>
        `coalesce(bool_or(CASE WHEN ${isSmall} THEN ${propertySql(path, parameters.bind)} IS NOT NULL END), false)`,
    );
    const [row] = await this.database.rows<{ known: boolean[] }>(
      `SELECT ARRAY[${tests.map((test) => `(bool_and(${isSmall}) AND ${test})`).join(', ')}]::boolean[] AS known
       FROM (SELECT bytes, properties FROM events WHERE project_id = ${parameters.bind(projectId)}
             ORDER BY "timestamp" DESC, id DESC LIMIT ${parameters.bind(events)}) e`,
      parameters.values,
    );
    return paths.map((_, at) => row?.known[at] === true);
  }

  /** For each path, whether one of the events has something there. */
  async haveProperties(
    { projectId }: Scope,
    places: readonly Place[],
    paths: readonly (readonly string[])[],
  ): Promise<boolean[]> {
    const parameters = new Parameters();
    const [newest, oldest] = [places[0], places.at(-1)];
    if (newest === undefined || oldest === undefined) return paths.map(() => false);
    const tests = paths.map((path) => `coalesce(bool_or(${propertySql(path, parameters.bind)} IS NOT NULL), false)`);
    const [row] = await this.database.rows<{ known: boolean[] }>(
      `SELECT ARRAY[${tests.join(', ')}]::boolean[] AS known FROM events e
       WHERE e.project_id = ${parameters.bind(projectId)}
         AND e."timestamp" BETWEEN ${parameters.bind(oldest.timestamp)} AND ${parameters.bind(newest.timestamp)}
         AND e.id = ANY (${parameters.bind(places.map(({ id }) => id))}::uuid[])`,
      parameters.values,
    );
    return row?.known ?? paths.map(() => false);
  }

  private async limit(tx: Db, time: StatementTime): Promise<void> {
    const milliseconds = time.next();
    if (milliseconds !== null) await this.database.limit(tx, milliseconds);
  }
}

function candidatesSql(
  { projectId }: Scope,
  window: TimeWindow,
  selection: CandidateSelection,
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
