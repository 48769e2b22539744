import type { Parameters } from '../../../../platform/database/parameters.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { CLICKHOUSE_FIELDS } from '../../conditions/index.js';
import { CONDITION_SQL } from '../../fields/index.js';
import { instantBeforeSql } from '../reading/windows-sql.js';
import type { TimeWindow } from '../totals/coverage.js';
import { clickHouseNameSql, nameSql } from './names.repository.js';
import { requestConditions, type RequestFilter } from './request-filter.js';

/** The names that the events of `raw_requests` have: none, method and endpoint, or method and route. */
export type RequestGrouping = 'whole' | 'pairs' | 'routes';

/**
 * The requests of spans, when ClickHouse is read, or when a condition or the route of each request has to be evaluated.
 */
export interface RawRequests {
  /**
   * The grouped events of ClickHouse, as a list for each column of `raw_requests`. Null when ClickHouse is not read.
   */
  readonly columns: Readonly<Record<RawRequestColumn, readonly unknown[]>> | null;
  /** The events that PostgreSQL reads. */
  readonly events: MatchingEvents;
}

const CLICKHOUSE_TYPES = {
  ...{ part: 'timestamptz', at: 'timestamptz', method: 'text', endpoint: 'text' },
  ...{ status: 'int', latency: 'int', n: 'int' },
} as const;
type RawRequestColumn = keyof typeof CLICKHOUSE_TYPES;
const CLICKHOUSE_COLUMNS = Object.keys(CLICKHOUSE_TYPES) as RawRequestColumn[];

/**
 * The maximum number of groups that are transferred to PostgreSQL. Beyond it PostgreSQL reads the events instead.
 * Events that only differ in their time are one group.
 */
const MOST_GROUPS = 100_000;

/** A group of events of ClickHouse. */
export interface RawRequestGroup {
  readonly part: number;
  readonly newest: number;
  readonly method: string;
  readonly endpoint: string;
  readonly code: number;
  readonly took: number | null;
  readonly times: number;
  /** 1 when ClickHouse cannot read one of the events. */
  readonly unread: number;
}

/**
 * Returns a statement of ClickHouse after SELECT that groups events as {@link RawRequestGroup}, and returns at most one
 * group more than {@link MOST_GROUPS}.
 * @param events a relation `e` with its conditions
 * @param unread true when an event cannot be read
 */
export function clickHouseRawRequestsSql(
  spans: readonly TimeWindow[],
  level: RequestGrouping,
  events: string,
  unread: string,
): string {
  const starts = spans.map(({ from }) => from.getTime());
  const endpoint = {
    pairs: clickHouseNameSql('e.log_endpoint'),
    // The array makes the long expression of a route appear only once in the statement.
    routes: `arrayMap(whole_route -> ${clickHouseNameSql('whole_route')}, [${CLICKHOUSE_FIELDS['log.route']}])[1]`,
  };
  const names =
    level === 'whole'
      ? `'' AS method, '' AS endpoint`
      : `${clickHouseNameSql('toString(e.log_method)')} AS method, ${endpoint[level]} AS endpoint`;
  return `* FROM (
          SELECT ${instantBeforeSql(starts)} AS part, ${names}, e.log_status AS code,
                 if(e.log_has_latency, e.log_latency_ms, NULL) AS took, count() AS times,
                 max(toUnixTimestamp64Milli(e.timestamp)) AS newest, max(toUInt8(${unread})) AS unread
          FROM ${events} GROUP BY part, method, endpoint, code, took)
        LIMIT ${MOST_GROUPS + 1}`;
}

/**
 * Converts groups into a list for each column.
 * @returns null when PostgreSQL has to read the events instead: there are too many groups, or unreadable events
 */
export function rawRequestColumns(rows: readonly RawRequestGroup[]): RawRequests['columns'] {
  if (rows.length > MOST_GROUPS || rows.some(({ unread }) => unread === 1)) return null;
  return {
    part: rows.map(({ part }) => new Date(part)),
    at: rows.map(({ newest }) => new Date(newest)),
    method: rows.map(({ method }) => method),
    endpoint: rows.map(({ endpoint }) => endpoint),
    status: rows.map(({ code }) => code),
    latency: rows.map(({ took }) => took),
    n: rows.map(({ times }) => times),
  };
}

/**
 * Returns the relation `raw_requests` of {@link statsSql}: the events of spans. Each span is a part, identified by its
 * start.
 * @param project the SQL parameter of the project id
 * @param filter only used when `rawRequests` is null. The events of `rawRequests` already match it
 * @param level `whole` needs no names
 * @param rawRequests null reads the rows of PostgreSQL that match the filter
 */
export function rawRequestsSql(
  project: string,
  spans: readonly TimeWindow[],
  filter: RequestFilter,
  parameters: Parameters,
  level: RequestGrouping,
  rawRequests: RawRequests | null,
): string {
  if (rawRequests !== null) return aggregatedSql(spans, parameters, level, rawRequests);
  const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)].map((list) =>
    parameters.bind(list),
  );
  // LATERAL with OFFSET 0 reads span by span along the primary key. The planner could choose a slower join.
  return `raw_requests AS MATERIALIZED (
         SELECT spans.starts AS part, found.* FROM unnest(${from}::timestamptz[], ${to}::timestamptz[]) AS spans (starts, ends)
         CROSS JOIN LATERAL (
           SELECT ${columnsSql(level)}
           FROM events e WHERE project_id = ${project} AND "timestamp" >= spans.starts AND "timestamp" < spans.ends${requestConditions(filter, parameters)}
           OFFSET 0) found)`;
}

function columnsSql(level: RequestGrouping): string {
  const endpoint =
    level === 'routes'
      ? `(SELECT ${nameSql('route')} FROM (SELECT ${CONDITION_SQL['log.route']} AS route OFFSET 0) named)`
      : nameSql('log_endpoint');
  const names =
    level === 'whole'
      ? `''::text AS method, ''::text AS endpoint`
      : `${nameSql('log_method')} AS method, ${endpoint} AS endpoint`;
  return `"timestamp" AS at, ${names}, log_status AS status, CASE WHEN log_has_latency THEN log_latency_ms END AS latency, 1 AS n`;
}

function aggregatedSql(
  spans: readonly TimeWindow[],
  { bind }: Parameters,
  level: RequestGrouping,
  { columns, events }: RawRequests,
): string {
  const [starts, ends] = [bind(spans.map(({ from }) => from)), bind(spans.map(({ to }) => to))];
  const lists = CLICKHOUSE_COLUMNS.map((name) => `${bind(columns?.[name] ?? [])}::${CLICKHOUSE_TYPES[name]}[]`).join(
    ', ',
  );
  return `raw_requests AS MATERIALIZED (
         SELECT * FROM unnest(${lists}) AS replicated (${CLICKHOUSE_COLUMNS.join(', ')})
         UNION ALL
         SELECT (${starts}::timestamptz[])[span] AS part, ${columnsSql(level)}
         FROM (SELECT e.*, width_bucket(e."timestamp", ${starts}::timestamptz[]) AS span FROM ${events(bind)}) e
         WHERE span > 0 AND "timestamp" < (${ends}::timestamptz[])[span])`;
}
