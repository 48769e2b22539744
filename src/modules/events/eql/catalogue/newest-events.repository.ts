import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { propertySql } from '../../conditions/index.js';
import { type Deadline, type EventPlace, type Place, PLACE_COLUMNS } from '../../reads/index.js';

type Scope = Pick<ProjectScope, 'projectId'>;

/** Asks the newest events of a project for properties, in a snapshot whose statements take no longer than is left. */
@Injectable()
export class NewestEventsRepository {
  constructor(private readonly database: Database) {}

  /** Where the newest events of a project lie, newest first. @throws QueryTooLong */
  async places(tx: Db, { projectId }: Scope, limit: number, deadline: Deadline): Promise<EventPlace[]> {
    await this.database.limit(tx, deadline.left());
    return this.database.rows<EventPlace>(
      `SELECT ${PLACE_COLUMNS} FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT $2`,
      [projectId, limit],
      tx,
    );
  }

  /** For each path, whether one of the newest events has something there; false where these are not all small, too. */
  async have(
    tx: Db,
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
      tx,
    );
    return paths.map((_, at) => row?.known[at] === true);
  }

  /** For each path, whether one of the events at these places has something there. @throws QueryTooLong */
  async haveAt(
    tx: Db,
    { projectId }: Scope,
    places: readonly Place[],
    paths: readonly (readonly string[])[],
    deadline: Deadline,
  ): Promise<boolean[]> {
    const parameters = new Parameters();
    const [newest, oldest] = [places[0], places.at(-1)];
    if (newest === undefined || oldest === undefined) return paths.map(() => false);
    const tests = paths.map((path) => `coalesce(bool_or(${propertySql(path, parameters.bind)} IS NOT NULL), false)`);
    await this.database.limit(tx, deadline.left());
    const [row] = await this.database.rows<{ known: boolean[] }>(
      `SELECT ARRAY[${tests.join(', ')}]::boolean[] AS known FROM events e
       WHERE e.project_id = ${parameters.bind(projectId)}
         AND e."timestamp" BETWEEN ${parameters.bind(oldest.timestamp)} AND ${parameters.bind(newest.timestamp)}
         AND e.id = ANY (${parameters.bind(places.map(({ id }) => id))}::uuid[])`,
      parameters.values,
      tx,
    );
    return row?.known ?? paths.map(() => false);
  }
}
