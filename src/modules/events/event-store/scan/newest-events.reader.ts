import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { StatementValues } from '../../../../platform/clickhouse/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { clickHousePropertySql, propertySql } from '../../conditions/index.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import { ClickHouseListReader } from '../lists/clickhouse-list.reader.js';
import { type EventLocator, LOCATOR_COLUMNS } from '../lists/event-locator.js';
import type { Locator } from '../lists/cursor.js';
import { writtenIds } from '../reading/written-values.js';
import { instantSql } from '../../fields/index.js';
import { type ReadDeadline, QueryTooLong } from '../../long-reads/index.js';

type Scope = Pick<ProjectScope, 'projectId'>;

/** Event ids, with the range of their timestamps. */
interface NewestEventsQuery {
  readonly ids: readonly string[];
  readonly from: Date;
  readonly to: Date;
}

/** Checks the newest events of a project for properties, in a snapshot with a limit for each statement. */
@Injectable()
export class NewestEventsReader {
  constructor(
    private readonly database: Database,
    private readonly clickHouseLists: ClickHouseListReader,
    private readonly clickHouse: ClickHouseEvents,
  ) {}

  /** Returns the locators of the newest events of a project, newest first. @throws QueryTooLong */
  async locators(tx: Db, { projectId }: Scope, limit: number, deadline: ReadDeadline): Promise<EventLocator[]> {
    await this.database.limit(tx, deadline.left());
    const replicated = await this.clickHouseLists.newest({ projectId }, { limit }, { tx });
    if (replicated !== null) return replicated;
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT $2`,
      [projectId, limit],
      tx,
    );
  }

  /**
   * Returns for each path whether one of the newest events has a value there. Reads only PostgreSQL, which has the
   * newest events of every project. All results are false when one of these events is larger than `mostBytes` or has no
   * recorded size.
   */
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

  /** Returns for each path whether one of the events at these locators has a value there. @throws QueryTooLong */
  async haveAt(
    tx: Db,
    scope: Scope,
    locators: readonly Locator[],
    paths: readonly (readonly string[])[],
    deadline: ReadDeadline,
  ): Promise<boolean[]> {
    const [newest, oldest] = [locators[0], locators.at(-1)];
    if (newest === undefined || oldest === undefined) return paths.map(() => false);
    const query: NewestEventsQuery = {
      ids: locators.map(({ id }) => id),
      from: oldest.timestamp,
      to: newest.timestamp,
    };
    const kept = await this.kept(tx, scope, query, paths, deadline);
    const others = paths.filter((_, at) => kept[at] !== true);
    if (!this.clickHouse.isEnabled || others.length === 0) return kept;
    // An event that both stores have is checked twice, with the same result.
    const replicated = await this.ofClickHouse(scope, query, others, deadline);
    const known = new Set(others.filter((_, at) => replicated[at] === true));
    return paths.map((path, at) => kept[at] === true || known.has(path));
  }

  private async kept(
    tx: Db,
    { projectId }: Scope,
    { ids, from, to }: NewestEventsQuery,
    paths: readonly (readonly string[])[],
    deadline: ReadDeadline,
  ): Promise<boolean[]> {
    const parameters = new Parameters();
    const tests = paths.map((path) => `coalesce(bool_or(${propertySql(path, parameters.bind)} IS NOT NULL), false)`);
    await this.database.limit(tx, deadline.left());
    const [row] = await this.database.rows<{ known: boolean[] }>(
      `SELECT ARRAY[${tests.join(', ')}]::boolean[] AS known FROM events e
       WHERE e.project_id = ${parameters.bind(projectId)}
         AND e."timestamp" BETWEEN ${parameters.bind(from)} AND ${parameters.bind(to)}
         AND e.id = ANY (${parameters.bind(ids)}::uuid[])`,
      parameters.values,
      tx,
    );
    return row?.known ?? paths.map(() => false);
  }

  /** @returns an empty list when ClickHouse cannot answer */
  private async ofClickHouse(
    scope: Scope,
    { ids, from, to }: NewestEventsQuery,
    paths: readonly (readonly string[])[],
    deadline: ReadDeadline,
  ): Promise<readonly boolean[]> {
    const statement = new StatementValues();
    const { bind } = statement;
    const tests = paths.map((path) => `max(${clickHousePropertySql(path, bind)} NOT IN ('', 'null'))`);
    try {
      const rows = await this.clickHouse.rows<{ known: number[] }>(
        scope,
        Number.MAX_SAFE_INTEGER,
        (replicated) => `[${tests.join(', ')}] AS known FROM ${replicated} AS e
          WHERE e.timestamp >= ${instantSql(from, bind)} AND e.timestamp <= ${instantSql(to, bind)} AND e.id IN ${writtenIds(ids)}`,
        statement,
        { milliseconds: deadline.left() },
      );
      return rows?.[0]?.known.map((known) => known === 1) ?? [];
    } catch (error) {
      throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
    }
  }
}
