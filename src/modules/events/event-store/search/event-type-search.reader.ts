import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import {
  searchHit,
  type SearchHit,
  type Search,
  searchSql,
  SearchSource,
  type SearchTime,
} from '../../../tenancy/search-sources/index.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { tailSql } from '../reading/tail.reader.js';
import { ClickHouseEventSearchReader, type ClickHouseType } from './clickhouse-event-search.reader.js';

const DAY_MS = 86_400_000;
const SEARCHED = { texts: ['event'] } as const;

interface TypeRow {
  readonly event: string;
  /** The timestamp of its newest event in the window. */
  readonly at: Date;
}

/**
 * Searches the event types that have an event in the window. Matching names come from the daily counters, the time of
 * the newest event from the rows.
 */
@Injectable()
export class EventTypeSearch extends SearchSource {
  readonly type = 'event_type';
  readonly needed = { role: 'viewer' } as const;

  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseEventSearchReader,
    private readonly archived: ArchivedEventsReader,
  ) {
    super();
  }

  async find(scope: ProjectScope, search: Search, limit: number, db: Db, time: SearchTime): Promise<SearchHit[]> {
    const rows = (await this.ofBoth(scope, search, limit, db, time)) ?? (await this.ofRows(scope, search, limit, db));
    return rows.map(({ event, at }) => ({
      ...searchHit({ id: event, title: event, subtitle: null, timestamp: at }, {}),
      fields: [{ name: 'name', text: event }],
    }));
  }

  /** When PostgreSQL no longer has the events of a type, `at` is the start of its last day with an event. */
  private async ofRows({ projectId }: ProjectScope, search: Search, limit: number, db: Db): Promise<TypeRow[]> {
    const isArchived = await this.archived.isArchived(search.window);
    const parameters = new Parameters();
    const { bind } = parameters;
    const { named, folded, rank } = namedSql(projectId, search, parameters);
    const [project, from, to] = [bind(projectId), bind(search.window.from), bind(search.window.to)];
    return this.database.rows<TypeRow>(
      `SELECT event, at FROM (
         SELECT named.*, coalesce(newest.at, CASE WHEN ${bind(isArchived)}::boolean THEN named.day END) AS at
         FROM (SELECT event, max(day) AS day, ${folded} FROM ${named} GROUP BY event) named
         LEFT JOIN LATERAL (
           SELECT e."timestamp" AS at FROM events e
           WHERE e.project_id = ${project} AND e.event = named.event AND e."timestamp" >= ${from} AND e."timestamp" < ${to}
           ORDER BY e."timestamp" DESC LIMIT 1) newest ON true) found
       WHERE at IS NOT NULL ORDER BY ${rank} DESC, at DESC, event COLLATE "C" LIMIT ${bind(limit)}`,
      parameters.values,
      db,
    );
  }

  /** @returns null when PostgreSQL has to answer alone */
  private async ofBoth(
    scope: ProjectScope,
    search: Search,
    limit: number,
    db: Db,
    time: SearchTime,
  ): Promise<TypeRow[] | null> {
    // In most searches no name matches, which the daily counters answer quickly.
    if (!this.clickHouse.isEnabled || !(await this.isAnyNamed(scope, search, db))) return null;
    const found = await this.clickHouse.quickly(scope, search.window, time, db, async (moment, bounds) => ({
      moment,
      types: await this.clickHouse.types(scope, search, moment, limit, bounds),
    }));
    if (found === null) return null;
    const { window } = found.moment;
    return this.withTail(scope, { ...search, window }, found.types, limit, db);
  }

  private async isAnyNamed({ projectId }: ProjectScope, search: Search, db: Db): Promise<boolean> {
    const parameters = new Parameters();
    const { named, folded, rank } = namedSql(projectId, search, parameters);
    const rows = await this.database.rows(
      `SELECT ${rank} AS rank FROM (SELECT ${folded} FROM ${named} /* tenant: compared there */ LIMIT 1) named`,
      parameters.values,
      db,
    );
    return rows.length > 0;
  }

  /** Returns the best of the best replicated matches and of all matches that are not replicated yet. */
  private withTail(
    { projectId }: ProjectScope,
    { words, window }: Search,
    types: readonly ClickHouseType[],
    limit: number,
    db: Db,
  ): Promise<TypeRow[]> {
    const { bind, values } = new Parameters();
    const { fits, folded, rank } = searchSql(SEARCHED, words, bind);
    const events = bind(types.map(({ event }) => event));
    const times = bind(types.map(({ ms }) => new Date(ms)));
    return this.database.rows<TypeRow>(
      `SELECT event, at FROM (
         SELECT event, max(at) AS at, ${folded} FROM (
           SELECT event, at FROM unnest(${events}::text[], ${times}::timestamptz[]) AS replicated (event, at)
           UNION ALL SELECT e.event, e."timestamp" FROM ${tailSql(projectId, window, fits, bind)} /* tenant: compared there */) both_of_them
         GROUP BY event) named
       ORDER BY ${rank} DESC, at DESC, event COLLATE "C" LIMIT ${bind(limit)}`,
      values,
      db,
    );
  }
}

/** Returns the matching types of the daily counters. They may cover up to a day more than the window. */
function namedSql(
  projectId: string,
  { words, window: { from, to } }: Search,
  { bind }: Parameters,
): { readonly named: string; readonly folded: string; readonly rank: string } {
  const { fits, folded, rank } = searchSql(SEARCHED, words, bind);
  const firstDay = bind(new Date(Math.floor(from.getTime() / DAY_MS) * DAY_MS));
  const named = `event_facet_days
    WHERE project_id = ${bind(projectId)} AND day >= ${firstDay} AND day < ${bind(to)} AND ${fits}`;
  return { named, folded, rank };
}
