import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type BindValue, foldedSql as clickHouseFoldedSql } from '../../../../platform/clickhouse/index.js';
import { fold, variantsOf } from '../../../../platform/case-folding/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { isCanceled } from '../../../../platform/database/database-faults.js';
import { foldedSql } from '../../../../platform/database/folded-sql.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { EventCondition } from '../../eql-language/index.js';
import { MatchesReader } from '../matches/matches.reader.js';
import { type ClickHouseConditions, olderThan } from '../lists/event-list-query.js';
import { ClickHouseListReader } from '../lists/clickhouse-list.reader.js';
import { type EventLocator, LOCATOR_COLUMNS } from '../lists/event-locator.js';
import type { Locator } from '../lists/cursor.js';
import { LOG_TEXT } from '../clickhouse-schema/table-statements.js';
import type { TimeWindow } from '../totals/coverage.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from '../../long-reads/index.js';
import { LogSearchIndexWriter } from './search-index.writer.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import { type SearchPart, searchParts } from './search-parts.js';

/** The newest rows of an indexed month that are read before its index. A frequent text is found among them at once. */
const PROBED_ROWS = 10_000;

export interface LogFilter {
  /** In upper case. Undefined matches every method. */
  readonly method: string | undefined;
  readonly hideNoise: boolean;
  /** Searched in endpoint, method and event name. Undefined matches every row. */
  readonly text: string | undefined;
  /** Only rows that follow this locator in the list. */
  readonly before: Locator | null;
}

type Scope = Pick<ProjectScope, 'organizationId' | 'projectId'>;
const NEWEST_FIRST = 'ORDER BY "timestamp" DESC, id DESC';

export class LogSearchTooLong extends domainError(
  503,
  'Log search took too long: choose a shorter range or a more frequent text',
) {
  override readonly headers = { 'Retry-After': '5' };
}

export class TooManyLogSearches extends domainError(503, 'Too many log searches at once') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds = 2) {
    super();
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

/**
 * Returns the locators of log rows, newest first and then by id. Reads ClickHouse where it can answer, else the table
 * `events` along its primary key or an index of {@link LogSearchIndexWriter}.
 */
@Injectable()
export class LogsReader {
  constructor(
    private readonly database: Database,
    private readonly index: LogSearchIndexWriter,
    private readonly longReads: LongReads,
    private readonly clickHouse: ClickHouseListReader,
    private readonly matches: MatchesReader,
  ) {}

  /**
   * @throws LogSearchTooLong when matching rows are so rare that the search exceeds its time
   * @throws TooManyLogSearches when other searches occupy all slots for too long
   */
  list(scope: Scope, window: TimeWindow, filter: LogFilter, limit: number): Promise<EventLocator[]> {
    const isIndexable = filter.text !== undefined || filter.method !== undefined;
    if (!isIndexable && !filter.hideNoise) return this.unfiltered(scope, window, filter, limit);
    return this.filtered(scope, window, filter, limit, isIndexable);
  }

  /** Returns the rows that also match an EQL condition. @throws QueryTooLong, TooManyQueries */
  matching(
    scope: Scope,
    window: TimeWindow,
    { where, ...filter }: LogFilter & { readonly where: EventCondition },
    limit: number,
    signal: AbortSignal,
  ): Promise<EventLocator[]> {
    const { before } = filter;
    return this.matches.newest(scope, { window, where, before, conditions: inBoth(filter), limit }, signal);
  }

  private unfiltered(scope: Scope, window: TimeWindow, filter: LogFilter, limit: number): Promise<EventLocator[]> {
    const { before } = filter;
    return this.clickHouse.read(scope, { window, before, limit }, () => this.scan(scope, window, filter, limit));
  }

  private async filtered(
    scope: Scope,
    window: TimeWindow,
    filter: LogFilter,
    limit: number,
    isIndexable: boolean,
  ): Promise<EventLocator[]> {
    const query = { window, before: filter.before, conditions: inBoth(filter), limit };
    const kept = (milliseconds: number = LONG_READ_MS): Promise<EventLocator[]> =>
      this.filteredKept(scope, window, filter, limit, isIndexable, milliseconds);
    const withSlot = <T>(work: (milliseconds: number) => Promise<T>): Promise<T> =>
      this.longReads.run(scope, (milliseconds) => work(milliseconds).catch(tooLong), { refusal: TooManyLogSearches });
    try {
      return await this.clickHouse.read(scope, query, kept, { withSlot });
    } catch (error) {
      if (error instanceof QueryTooLong) throw new LogSearchTooLong();
      throw error;
    }
  }

  private async filteredKept(
    scope: Scope,
    window: TimeWindow,
    filter: LogFilter,
    limit: number,
    isIndexable: boolean,
    milliseconds: number,
  ): Promise<EventLocator[]> {
    const parts = searchParts(window, isIndexable ? await this.index.months() : []);
    return this.database.snapshot(async (tx) => {
      const giveUpAt = performance.now() + milliseconds;
      const found: EventLocator[] = [];
      for (const part of parts) {
        const missing = limit - found.length;
        if (missing === 0) break;
        const left = Math.max(1, Math.round(giveUpAt - performance.now()));
        await this.database.execute(`SET LOCAL statement_timeout = ${left}`, [], tx);
        found.push(...(await this.search(scope, part, filter, missing, tx)));
      }
      return found;
    });
  }

  private async search(
    scope: Scope,
    part: SearchPart,
    filter: LogFilter,
    limit: number,
    tx: Db,
  ): Promise<EventLocator[]> {
    if (!part.isIndexed) return this.scan(scope, part, filter, limit, tx);
    const probed = await this.probe(scope, part, filter, limit, tx);
    if (probed.rows.length === limit || probed.end === null) return probed.rows;
    return [...probed.rows, ...(await this.lookUp(scope, part, probed.end, filter, limit - probed.rows.length, tx))];
  }

  /** Reads row by row until enough rows match. */
  private scan(scope: Scope, window: TimeWindow, filter: LogFilter, limit: number, tx?: Db): Promise<EventLocator[]> {
    const parameters = new Parameters();
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = ${parameters.bind(scope.projectId)} AND ${within(window, parameters)}${olderThan(filter.before, parameters)}${matching(filter, parameters)}
       ${NEWEST_FIRST} LIMIT ${parameters.bind(limit)}`,
      parameters.values,
      tx,
    );
  }

  /**
   * Returns the matches among the newest rows, and the last of these rows. `end` is null when there are no further
   * rows.
   */
  private async probe(
    scope: Scope,
    window: TimeWindow,
    filter: LogFilter,
    limit: number,
    tx: Db,
  ): Promise<{ rows: EventLocator[]; end: Locator | null }> {
    const parameters = new Parameters();
    const rows = await this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM (
         SELECT * FROM events
         WHERE project_id = ${parameters.bind(scope.projectId)} AND ${within(window, parameters)}${olderThan(filter.before, parameters)}
         ${NEWEST_FIRST} LIMIT ${PROBED_ROWS}) newest
       WHERE true${matching(filter, parameters)} ${NEWEST_FIRST} LIMIT ${parameters.bind(limit)}`,
      parameters.values,
      tx,
    );
    if (rows.length === limit) return { rows, end: null };
    const bounds = new Parameters();
    const [end] = await this.database.rows<Locator>(
      `SELECT "timestamp", id FROM events
       WHERE project_id = ${bounds.bind(scope.projectId)} AND ${within(window, bounds)}${olderThan(filter.before, bounds)}
       ${NEWEST_FIRST} OFFSET ${PROBED_ROWS - 1} LIMIT 1`,
      bounds.values,
      tx,
    );
    return { rows, end: end ?? null };
  }

  /** Reads all matches of the index that are older than a locator, and returns the newest of them. */
  private lookUp(
    scope: Scope,
    window: TimeWindow,
    before: Locator,
    filter: LogFilter,
    limit: number,
    tx: Db,
  ): Promise<EventLocator[]> {
    const parameters = new Parameters();
    const project = parameters.bind(scope.projectId);
    // The matches are materialized without a limit. With a limit, the planner may read along the primary key, which
    // takes long for a rare text.
    return this.database.rows<EventLocator>(
      `WITH locators AS MATERIALIZED (
         SELECT "timestamp" AS at, id AS which FROM events
         WHERE project_id = ${project}
           AND ${within({ from: window.from, to: new Date(before.timestamp.getTime() + 1) }, parameters)}
           AND ("timestamp", id) < (${parameters.bind(before.timestamp)}, ${parameters.bind(before.id)})
           ${matching(filter, parameters)}),
       newest AS (SELECT at, which FROM locators ORDER BY at DESC, which DESC LIMIT ${parameters.bind(limit)})
       SELECT ${LOCATOR_COLUMNS} FROM newest JOIN events ON project_id = ${project} AND "timestamp" = at AND id = which
       ${NEWEST_FIRST}`,
      parameters.values,
      tx,
    );
  }
}

function tooLong(error: unknown): never {
  throw isCanceled(error) ? new QueryTooLong() : error;
}

function within({ from, to }: TimeWindow, parameters: Parameters): string {
  return `"timestamp" >= ${parameters.bind(from)} AND "timestamp" < ${parameters.bind(to)}`;
}

function inBoth(filter: LogFilter): ClickHouseConditions {
  return {
    postgres: (parameters) => matching(filter, parameters),
    clickHouse: (bind) => clickHouseMatching(filter, bind),
    // A skip index of ClickHouse covers the concatenation of the three columns.
    indexed: (bind) => {
      const loose = loosePattern(fold(filter.text ?? ''), isPlainInLowerCase);
      return /[^%_]/.test(loose) ? ` AND ${LOG_TEXT} LIKE ${bind(loose, 'String')}` : '';
    },
    areCostly: filter.text !== undefined,
  };
}

const NO_NOISE = `log_endpoint NOT IN ('/health', '/favicon.ico')`;

/** Returns the conditions of the filter. Each begins with ` AND `. */
function matching({ method, hideNoise, text }: LogFilter, parameters: Pick<Parameters, 'bind'>): string {
  const conditions: string[] = [];
  if (method !== undefined) conditions.push(`log_method = ${parameters.bind(method)}`);
  if (hideNoise) conditions.push(NO_NOISE);
  if (text !== undefined) {
    const folded = fold(text);
    const [loose, exact] = [loosePattern(folded, isPlainInAnyLocale), parameters.bind(patternOf(folded))];
    const inFolded = foldedSql([folded], parameters.bind);
    // The index of a month finds candidates by this looser condition, so that few texts have to be folded.
    if (/[^%_]/.test(loose)) {
      const pattern = parameters.bind(loose);
      conditions.push(anyOf((column) => `${column} ILIKE ${pattern}`));
    }
    conditions.push(anyOf((column) => `${inFolded(column)} LIKE ${exact}`));
  }
  return joined(conditions);
}

/** Returns the same conditions as {@link matching}, for the rows of ClickHouse. */
function clickHouseMatching({ method, hideNoise, text }: LogFilter, bind: BindValue): string {
  const conditions: string[] = [];
  if (method !== undefined) conditions.push(`log_method = ${bind(method, 'String')}`);
  if (hideNoise) conditions.push(NO_NOISE);
  if (text !== undefined) {
    const folded = fold(text);
    const inFolded = clickHouseFoldedSql([folded], bind);
    const exact = bind(patternOf(folded), 'String');
    conditions.push(anyOf((column) => `${inFolded(column)} LIKE ${exact}`));
  }
  return joined(conditions);
}

const SEARCHED = ['log_endpoint', 'log_method', 'event'];

function anyOf(test: (column: string) => string): string {
  return `(${SEARCHED.map(test).join(' OR ')})`;
}

/** A LIKE pattern that matches `text` anywhere. */
function patternOf(text: string): string {
  return `%${escaped(text)}%`;
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/**
 * Returns a LIKE pattern that matches everything that {@link patternOf} matches. It accepts any character where the
 * engine may fold a character differently.
 */
function loosePattern(folded: string, isPlain: (character: string) => boolean): string {
  return `%${[...folded].map((character) => (isPlain(character) ? escaped(character) : '_')).join('')}%`;
}

/** True when every locale folds the character in the same way. */
function isPlainInAnyLocale(character: string): boolean {
  return (
    variantsOf(character).length === 0 &&
    fold(character) === character &&
    (character <= '\x7f' || character.toUpperCase() === character)
  );
}

/** True when the lower-case function of ClickHouse maps all case variants of the character to it. */
function isPlainInLowerCase(character: string): boolean {
  return [character, ...variantsOf(character)].every((variant) => variant.toLowerCase() === character);
}

function joined(conditions: readonly string[]): string {
  return conditions.map((condition) => ` AND ${condition}`).join('');
}
