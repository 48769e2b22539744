import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { type Search, searchSql, type SearchWords } from '../../../tenancy/search-sources/index.js';
import type { Locator } from '../lists/cursor.js';
import type { TimeWindow } from '../totals/coverage.js';
import { tailSql } from '../reading/tail.reader.js';

type Scope = Pick<ProjectScope, 'projectId'>;

/** The searched fields of an event. */
export interface SearchedEvent extends Locator {
  readonly event: string;
  readonly source: string;
  readonly message: string | null;
  readonly externalEventId: string | null;
  readonly endpoint: string;
}

/**
 * A part of a window, read from the newest row on. `end` is its last row. When `end` is null, the stretch ends with the
 * window.
 */
export interface SearchedStretch {
  /** Newer rows were already searched. Null when none were. */
  readonly before: Locator | null;
  readonly end: Locator | null;
}

/** A sender can choose a path of any length. Only this many characters are searched and shown. */
export const MOST_ENDPOINT = 4_096;
const ENDPOINT = `left(e.log_endpoint, ${MOST_ENDPOINT})`;
const COLUMNS = `e."timestamp", e.id, e.event, e.source, e.message, e.external_event_id AS "externalEventId",
  ${ENDPOINT} AS endpoint`;
const SEARCHED = {
  id: 'e.id::text',
  texts: ['e.event', 'e.source', 'e.message', 'e.external_event_id', ENDPOINT],
} as const;

/** Searches the events of a project, newest first, one stretch at a time. */
@Injectable()
export class EventSearchReader {
  constructor(private readonly database: Database) {}

  /** Limits the time of each following statement of the transaction. */
  async within(milliseconds: number, tx: Db): Promise<void> {
    await this.database.execute(`SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(milliseconds))}`, [], tx);
  }

  /** Returns the last of the next `rows` rows, or null when there are fewer. Only reads the primary key. */
  async end(
    { projectId }: Scope,
    window: TimeWindow,
    before: Locator | null,
    rows: number,
    tx: Db,
  ): Promise<Locator | null> {
    const { bind, values } = new Parameters();
    const [end] = await this.database.rows<Locator>(
      `SELECT e."timestamp", e.id FROM events e
       WHERE e.project_id = ${bind(projectId)} AND ${placed(window, { before, end: null }, bind)}
       ORDER BY e."timestamp" DESC, e.id DESC OFFSET ${bind(rows - 1)} LIMIT 1`,
      values,
      tx,
    );
    return end ?? null;
  }

  /** Returns the best matches of a stretch, at most `limit`. */
  best(
    { projectId }: Scope,
    { words, window }: Search,
    stretch: SearchedStretch,
    limit: number,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    return this.bestOf(
      words,
      (fits, bind) =>
        `events e WHERE e.project_id = ${bind(projectId)} AND ${placed(window, stretch, bind)} AND ${fits}`,
      limit,
      tx,
    );
  }

  /** Returns the best matches among the events that are not replicated yet, at most `limit`. */
  bestOfTail({ projectId }: Scope, { words, window }: Search, limit: number, tx: Db): Promise<SearchedEvent[]> {
    return this.bestOf(words, (fits, bind) => tailSql(projectId, window, fits, bind), limit, tx);
  }

  /** @param from returns a relation `e` of matching rows */
  private bestOf(
    words: SearchWords,
    from: (fits: string, bind: Bind) => string,
    limit: number,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    const { bind, values } = new Parameters();
    const { fits, folded, rank } = searchSql(SEARCHED, words, bind);
    return this.database.rows<SearchedEvent>(
      `SELECT * FROM (SELECT ${COLUMNS}, ${folded} FROM ${from(fits, bind)} /* tenant: compared there */ OFFSET 0) fitting
       ORDER BY ${rank} DESC, "timestamp" DESC, id LIMIT ${bind(limit)}`,
      values,
      tx,
    );
  }

  /**
   * Returns the newest events of these types, at most `limit`. Uses an index, so that the age of the events does not
   * matter.
   */
  newestOf(
    { projectId }: Scope,
    window: TimeWindow,
    types: readonly string[],
    limit: number,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    const { bind, values } = new Parameters();
    const [project, most] = [bind(projectId), bind(limit)];
    return this.database.rows<SearchedEvent>(
      `SELECT found.* FROM unnest(${bind(types)}::text[]) AS named (event)
       CROSS JOIN LATERAL (
         SELECT ${COLUMNS} FROM events e
         WHERE e.project_id = ${project} AND e.event = named.event AND ${inWindow(window, bind)}
         ORDER BY e."timestamp" DESC LIMIT ${most}) found
       ORDER BY found."timestamp" DESC, found.id LIMIT ${most}`,
      values,
      tx,
    );
  }

  /** Returns the same as {@link newestOf}, among the events that are not replicated yet. */
  newestOfTail(
    { projectId }: Scope,
    window: TimeWindow,
    types: readonly string[],
    limit: number,
    tx: Db,
  ): Promise<SearchedEvent[]> {
    const { bind, values } = new Parameters();
    const tail = tailSql(projectId, window, `e.event = ANY(${bind(types)}::text[])`, bind);
    return this.database.rows<SearchedEvent>(
      `SELECT ${COLUMNS} FROM ${tail} /* tenant: compared there */ ORDER BY e."timestamp" DESC, e.id LIMIT ${bind(limit)}`,
      values,
      tx,
    );
  }

  /** Returns an event that was found by its id. */
  async at({ projectId }: Scope, window: TimeWindow, { timestamp, id }: Locator, tx: Db): Promise<SearchedEvent[]> {
    const { bind, values } = new Parameters();
    return this.database.rows<SearchedEvent>(
      `SELECT ${COLUMNS} FROM events e
       WHERE e.project_id = ${bind(projectId)} AND e."timestamp" = ${bind(timestamp)} AND e.id = ${bind(id)}
         AND ${inWindow(window, bind)}`,
      values,
      tx,
    );
  }
}

function inWindow({ from, to }: TimeWindow, bind: Bind): string {
  return `e."timestamp" >= ${bind(from)} AND e."timestamp" < ${bind(to)}`;
}

/** The conditions on the timestamp are redundant, but let PostgreSQL skip partitions. */
function placed(window: TimeWindow, { before, end }: SearchedStretch, bind: Bind): string {
  const conditions = [inWindow(window, bind)];
  if (before !== null) {
    const at = bind(before.timestamp);
    conditions.push(`e."timestamp" <= ${at} AND (e."timestamp", e.id) < (${at}, ${bind(before.id)})`);
  }
  if (end !== null) {
    const at = bind(end.timestamp);
    conditions.push(`e."timestamp" >= ${at} AND (e."timestamp", e.id) >= (${at}, ${bind(end.id)})`);
  }
  return conditions.join(' AND ');
}

/** Returns the id when the search consists of one complete id, else null. */
export function searchedId({ words }: SearchWords): string | null {
  const [only = '', ...others] = words;
  return others.length === 0 && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(only) ? only : null;
}
