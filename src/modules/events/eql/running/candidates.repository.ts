import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { propertiesSql, propertySql } from '../../conditions/index.js';
import { type Deadline, type EventPlace, type Place, PLACE_COLUMNS } from '../../reads/index.js';
import type { TimeWindow } from '../../totals/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';

/** Rows that are fetched at a time; the properties that come with them are small. */
const FEWEST_ROWS = 100;
const MOST_ROWS = 1_000;

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

  /** The candidates of a window in their order, or in the opposite one, some at a time. For one cursor of a transaction. */
  async *read(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: CandidateSelection,
    { isNewestFirst, deadline, within }: Reading,
  ): AsyncGenerator<CandidateRow[], void> {
    const parameters = new Parameters();
    const { columns, where } = selection.sql(parameters.bind);
    const others = within === undefined ? '' : ` AND ${within(parameters.bind)}`;
    const order = isNewestFirst ? ' DESC' : '';
    const candidates = `SELECT ${columns} FROM events e
      WHERE e.project_id = ${parameters.bind(scope.projectId)} AND e."timestamp" >= ${parameters.bind(window.from)}
        AND e."timestamp" < ${parameters.bind(window.to)} AND ${where}${others}
      ORDER BY e."timestamp"${order}, e.id${order}`;
    await this.database.limit(tx, deadline.left());
    await this.database.execute(`DECLARE candidates NO SCROLL CURSOR FOR ${candidates}`, parameters.values, tx);
    for (let most = FEWEST_ROWS; ; most = MOST_ROWS) {
      await this.database.limit(tx, deadline.left());
      const rows = await this.database.rows<CandidateRow>(`FETCH ${most} FROM candidates`, [], tx);
      if (rows.length > 0) yield rows;
      if (rows.length < most) break;
    }
    await this.database.execute('CLOSE candidates', [], tx);
  }

  /** The properties of these names of one event; null where it has none. */
  async properties(
    tx: Db,
    { projectId }: Scope,
    { ms, id }: Pick<CandidateRow, 'ms' | 'id'>,
    names: readonly string[],
    deadline: Deadline,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const parameters = new Parameters();
    const properties = propertiesSql(names, parameters.bind);
    await this.database.limit(tx, deadline.left());
    const [row] = await this.database.rows<{ properties: Readonly<Record<string, unknown>> | null }>(
      `SELECT ${properties} AS properties FROM events e
       WHERE e.project_id = ${parameters.bind(projectId)} AND e."timestamp" = ${parameters.bind(new Date(ms))}
         AND e.id = ${parameters.bind(id)}`,
      parameters.values,
      tx,
    );
    return row?.properties ?? null;
  }

  /** Where the newest events of a project lie, newest first. */
  newest({ projectId }: Scope, limit: number): Promise<EventPlace[]> {
    return this.database.rows<EventPlace>(
      `SELECT ${PLACE_COLUMNS} FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT $2`,
      [projectId, limit],
    );
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
}
