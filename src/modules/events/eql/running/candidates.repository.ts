import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { propertiesSql, propertySql } from '../../conditions/index.js';
import { type Place, PLACE_COLUMNS, type EventPlace } from '../../reads/index.js';
import type { TimeWindow } from '../../totals/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import type { Deadline } from './deadline.js';

/** Rows that are fetched at a time; the properties that come with them are small. */
const FEWEST_ROWS = 100;
const MOST_ROWS = 1_000;

type Scope = Pick<ProjectScope, 'projectId'>;

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
    { isNewestFirst, deadline }: { readonly isNewestFirst: boolean; readonly deadline: Deadline },
  ): AsyncGenerator<CandidateRow[], void> {
    const parameters = new Parameters();
    const { columns, where } = selection.sql(parameters.bind);
    const order = isNewestFirst ? ' DESC' : '';
    const candidates = `SELECT ${columns} FROM events e
      WHERE e.project_id = ${parameters.bind(scope.projectId)} AND e."timestamp" >= ${parameters.bind(window.from)}
        AND e."timestamp" < ${parameters.bind(window.to)} AND ${where}
      ORDER BY e."timestamp"${order}, e.id${order}`;
    await this.within(tx, deadline);
    await this.database.execute(`DECLARE candidates NO SCROLL CURSOR FOR ${candidates}`, parameters.values, tx);
    for (let most = FEWEST_ROWS; ; most = MOST_ROWS) {
      await this.within(tx, deadline);
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
    await this.within(tx, deadline);
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

  /** The next statement takes no longer than is left. */
  private async within(tx: Db, deadline: Deadline): Promise<void> {
    await this.database.execute(`SET LOCAL statement_timeout = ${deadline.left()}`, [], tx);
  }
}
