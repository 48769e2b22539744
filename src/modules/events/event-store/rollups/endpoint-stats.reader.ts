import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { MOST_PAIRS } from './request-stats.repository.js';
import { chunkSql, nearestRankSql, quantilesSql } from './latency-quantiles.repository.js';
import { ClickHouseRequestsReader } from './clickhouse-requests.reader.js';
import { type RawRequests, type RequestGrouping, rawRequestsSql } from './raw-requests.repository.js';
import { MOST_KEPT_STATUSES } from './rollup-limits.js';
import type { ReadTime } from './read-time.js';
import type { RollupPlan } from './rollup-plan.js';
import { isNamed, namedConditions, type RequestFilter } from './request-filter.js';

export const ENDPOINT_SORTS = ['requests', 'p95', 'error_rate', 'errors', 'total_time'] as const;
export type EndpointSort = (typeof ENDPOINT_SORTS)[number];

export interface EndpointStatsQuery {
  readonly sort: EndpointSort;
  readonly minRequests: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The statistics of one method and endpoint. Null names stand for the requests of all pairs beyond {@link MOST_PAIRS}
 * in their hour.
 */
export interface EndpointStats {
  readonly method: string | null;
  readonly endpoint: string | null;
  readonly requests: number;
  readonly measured: number;
  readonly errors: number;
  readonly latencySum: number;
  readonly latencyMax: number | null;
  /** Percentiles by nearest rank, in milliseconds. Null when no latency was measured. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface EndpointsPage {
  /** The number of pairs with at least the minimum number of requests. */
  readonly total: number;
  /** The sum over all requests, including those that are not on the page. */
  readonly latencySum: number;
  readonly items: readonly EndpointStats[];
}

export interface StatusCount {
  readonly status: number;
  readonly requests: number;
}

export interface FailingEndpoint {
  readonly method: string | null;
  readonly endpoint: string | null;
  readonly requests: number;
  readonly failed: number;
  readonly statuses: readonly StatusCount[];
  readonly lastFailedAt: Date;
}

export interface Failures {
  readonly requests: number;
  readonly failed: number;
  readonly byStatus: readonly StatusCount[];
  readonly byEndpoint: readonly FailingEndpoint[];
}

/** An event can have any integer as its status. Only the most frequent statuses are returned. */
export const MOST_STATUSES = 200;
export const MOST_STATUSES_OF_ENDPOINT = 50;

const SORT_SQL: Readonly<Record<EndpointSort, string>> = {
  requests: 'requests',
  p95: 'p95',
  error_rate: 'errors::float8 / requests',
  errors: 'errors',
  total_time: 'latency_sum',
};
const NAMES = { method: 'method', endpoint: 'endpoint' };
/** Pairs by name, with the pair without names last. Names are compared byte by byte, independent of the locale. */
const BY_NAME = `endpoint = '', endpoint COLLATE "C", method COLLATE "C"`;

type Scope = Pick<ProjectScope, 'projectId'>;

/** Aggregates the requests of a window by method and endpoint or route. Each answer comes from one statement. */
@Injectable()
export class EndpointStatsReader {
  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseRequestsReader,
  ) {}

  async page(
    scope: Scope,
    plan: RollupPlan,
    filter: RequestFilter,
    query: EndpointStatsQuery,
    time: ReadTime,
    tx: Db,
  ): Promise<EndpointsPage> {
    const rawRequests = await this.clickHouse.rawRequests(scope, plan, filter, levelOf(filter), time, tx);
    const parameters = new Parameters();
    const [offset, limit] = [parameters.bind(query.offset), parameters.bind(query.limit)];
    const rows = await this.database.rows<PageRow>(
      `WITH ${itemsSql(scope, plan, filter, parameters, rawRequests)},
       of_spans AS MATERIALIZED (
         SELECT method, endpoint, sum(n) AS requests, coalesce(sum(n) FILTER (WHERE latency IS NOT NULL), 0) AS measured,
                coalesce(sum(n) FILTER (WHERE status >= 500), 0) AS errors, sum(latency::bigint * n)::bigint AS latency_sum, min(latency) AS latency_min, max(latency) AS latency_max FROM named GROUP BY 1, 2),
       totals AS MATERIALIZED (
         SELECT method, endpoint, sum(requests) AS requests, sum(measured) AS measured, sum(errors) AS errors,
                coalesce(sum(latency_sum), 0) AS latency_sum, min(latency_min) AS latency_min, max(latency_max) AS latency_max
         FROM (SELECT * FROM of_spans
               UNION ALL
               SELECT method, endpoint, requests, measured, errors, latency_sum, latency_min, latency_max FROM rolled) items
         GROUP BY 1, 2),
       wanted AS MATERIALIZED (SELECT *, row_number() OVER ()::int AS id FROM totals WHERE requests >= ${parameters.bind(query.minRequests)}),
       ${query.sort === 'p95' ? P95_SQL : 'measurable AS (SELECT *, NULL::integer AS p95 FROM wanted)'},
       page AS MATERIALIZED (
         SELECT *, row_number() OVER (ORDER BY ${SORT_SQL[query.sort]} DESC NULLS LAST, ${BY_NAME})::int AS rank FROM measurable
         ORDER BY rank OFFSET ${offset}::bigint LIMIT ${limit}::bigint),
       ${listsSql('quantiles', 'page', 'rank')},
       ${quantilesSql('quantiles', { key: 'rank', aggregates: [`${nearestRankSql(0.5)} AS p50`, `${nearestRankSql(0.95)} AS p95`, `${nearestRankSql(0.99)} AS p99`] })}
       SELECT w.total::float8 AS total, a.latency_sum::float8 AS "allLatencies", p.rank::float8 AS rank, p.method, p.endpoint,
              p.requests::float8 AS requests, p.measured::float8 AS measured, p.errors::float8 AS errors,
              p.latency_sum::float8 AS "latencySum", p.latency_max AS "latencyMax",
              ${(['p50', 'p95', 'p99'] as const).map((name) => `${withinSql(`l.${name}`, 'p')} AS ${name}`).join(', ')}
       FROM (SELECT count(*) AS total FROM wanted) w
       CROSS JOIN (SELECT coalesce(sum(latency_sum), 0) AS latency_sum FROM totals) a
       LEFT JOIN (page p LEFT JOIN quantiles l USING (rank)) ON true ORDER BY p.rank /* tenant: items compare the project */`,
      parameters.values,
      tx,
    );
    const [first] = rows;
    return { total: first?.total ?? 0, latencySum: first?.allLatencies ?? 0, items: itemsOf(rows) };
  }

  /** @param statusFrom 400 or 500; a request failed when its status is at least this */
  async failures(
    scope: Scope,
    plan: RollupPlan,
    filter: RequestFilter,
    { statusFrom, limit }: { readonly statusFrom: 400 | 500; readonly limit: number },
    time: ReadTime,
    tx: Db,
  ): Promise<Failures> {
    const rawRequests = await this.clickHouse.rawRequests(scope, plan, filter, levelOf(filter), time, tx);
    const parameters = new Parameters();
    const [failed, last] =
      statusFrom === 400 ? ['client_errors + errors', 'last_failed_at'] : ['errors', 'last_error_at'];
    const rows = await this.database.rows<FailureRow>(
      `WITH ${itemsSql(scope, plan, filter, parameters, rawRequests)},
       of_spans AS MATERIALIZED (
         SELECT method, endpoint, sum(n) AS requests, coalesce(sum(n) FILTER (WHERE status >= ${statusFrom}), 0) AS failed,
                max(newest) FILTER (WHERE status >= ${statusFrom}) AS last_failed_at,
                coalesce(array_agg(status) FILTER (WHERE status >= 400 AND nth <= ${MOST_KEPT_STATUSES}), '{}') AS statuses,
                coalesce(array_agg(n) FILTER (WHERE status >= 400 AND nth <= ${MOST_KEPT_STATUSES}), '{}') AS status_counts
         FROM (SELECT *, row_number() OVER (PARTITION BY method, endpoint, status >= 400 ORDER BY n DESC, status) AS nth
               FROM (SELECT method, endpoint, status, sum(n)::int AS n, max(at) AS newest FROM named GROUP BY 1, 2, 3) counted) ranked
         GROUP BY 1, 2),
       totals AS MATERIALIZED (
         SELECT method, endpoint, sum(requests) AS requests, sum(failed) AS failed, max(last_failed_at) AS last_failed_at
         FROM (SELECT method, endpoint, requests, failed, last_failed_at FROM of_spans
               UNION ALL
               SELECT method, endpoint, requests, ${failed}, ${last} FROM rolled) items
         GROUP BY 1, 2),
       failing AS NOT MATERIALIZED (
         SELECT method, endpoint, statuses, status_counts FROM of_spans WHERE failed > 0
         UNION ALL
         SELECT method, endpoint, statuses, status_counts FROM rolled WHERE ${failed} > 0),
       page AS MATERIALIZED (
         SELECT *, row_number() OVER (ORDER BY failed DESC, ${BY_NAME}) AS rank FROM totals WHERE failed > 0
         ORDER BY rank LIMIT ${parameters.bind(limit)}::bigint),
       ${wholesSql(scope, plan, filter, parameters)},
       codes AS (
         SELECT unnest(statuses) AS status, unnest(status_counts) AS n FROM (
           SELECT statuses, status_counts FROM failing WHERE NOT (SELECT every FROM wholes_complete)
           UNION ALL
           SELECT statuses, status_counts FROM wholes WHERE (SELECT every FROM wholes_complete)
           UNION ALL
           SELECT statuses, status_counts FROM of_spans WHERE (SELECT every FROM wholes_complete)) listed),
       codes_of_page AS (
         SELECT rank, status, sum(n) AS n, row_number() OVER (PARTITION BY rank ORDER BY sum(n) DESC, status) AS nth
         FROM (SELECT p.rank, unnest(i.statuses) AS status, unnest(i.status_counts) AS n
               FROM page p JOIN failing i USING (method, endpoint)) listed
         WHERE status >= ${statusFrom} GROUP BY 1, 2)
       SELECT 0 AS "order", 'all' AS kind, NULL AS method, NULL AS endpoint, NULL::float8 AS rank, NULL::integer AS status,
              coalesce(sum(requests), 0)::float8 AS requests, coalesce(sum(failed), 0)::float8 AS failed,
              NULL::timestamptz AS "lastFailedAt" FROM totals
       UNION ALL
       (SELECT 1, 'status', NULL, NULL, NULL, status, sum(n)::float8, NULL, NULL FROM codes WHERE status >= ${statusFrom} GROUP BY status
        ORDER BY sum(n) DESC, status LIMIT ${MOST_STATUSES})
       UNION ALL
       SELECT 2, 'endpoint', method, endpoint, rank::float8, NULL, requests::float8, failed::float8, last_failed_at FROM page
       UNION ALL
       SELECT 3, 'code', NULL, NULL, rank::float8, status, n::float8, NULL, NULL FROM codes_of_page
       WHERE nth <= ${MOST_STATUSES_OF_ENDPOINT}
       ORDER BY 1, rank, requests DESC, status`,
      parameters.values,
      tx,
    );
    const of = (kind: FailureRow['kind']): FailureRow[] => rows.filter((row) => row.kind === kind);
    const counted = ({ status, requests }: FailureRow): StatusCount => ({ status: status ?? 0, requests });
    const codes = of('code');
    const [all] = of('all');
    return {
      requests: all?.requests ?? 0,
      failed: all?.failed ?? 0,
      byStatus: of('status').map(counted),
      byEndpoint: of('endpoint').map((row) => ({
        ...namesOf(row),
        requests: row.requests,
        failed: row.failed ?? 0,
        statuses: codes.filter(({ rank }) => rank === row.rank).map(counted),
        lastFailedAt: row.lastFailedAt ?? new Date(0),
      })),
    };
  }
}

interface PageRow {
  readonly total: number;
  readonly allLatencies: number;
  /** Null when the page is empty. */
  readonly rank: number | null;
  readonly method: string;
  readonly endpoint: string;
  readonly requests: number;
  readonly measured: number;
  readonly errors: number;
  readonly latencySum: number;
  readonly latencyMax: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

interface FailureRow {
  readonly kind: 'all' | 'status' | 'endpoint' | 'code';
  readonly method: string | null;
  readonly endpoint: string | null;
  readonly rank: number | null;
  readonly status: number | null;
  readonly requests: number;
  readonly failed: number | null;
  readonly lastFailedAt: Date | null;
}

function itemsOf(rows: readonly PageRow[]): EndpointStats[] {
  return rows
    .filter(({ rank }) => rank !== null)
    .map(({ total: _, allLatencies: __, rank: ___, ...stats }) => ({ ...stats, ...namesOf(stats) }));
}

/** Empty names become null. No event has an empty name. */
function namesOf({
  method,
  endpoint,
}: Pick<FailureRow, 'method' | 'endpoint'>): Pick<FailureRow, 'method' | 'endpoint'> {
  return { method: method === '' ? null : method, endpoint: endpoint === '' ? null : endpoint };
}

function levelOf({ isByRoute }: RequestFilter): RequestGrouping {
  return isByRoute === true ? 'routes' : 'pairs';
}

/**
 * Returns the relations `named` and `rolled`. `named` has the events of spans, with `method`, `endpoint`, `status`,
 * `latency`, `at` and `n`. `rolled` has the pairs of hours and days. Missing names are empty, so that they can be
 * compared. `rolled` is not materialized: a statement that names it twice reads the rollups twice, but only the columns
 * that it uses. Latencies are the largest column, and are needed for few pairs.
 */
function itemsSql(
  { projectId }: Scope,
  plan: RollupPlan,
  filter: RequestFilter,
  parameters: Parameters,
  rawRequests: RawRequests | null,
): string {
  const project = parameters.bind(projectId);
  const [days, hours] = [parameters.bind(plan.days), parameters.bind(plan.hours)];
  const columns = `coalesce(method, '') AS method, coalesce(endpoint, '') AS endpoint, requests, client_errors, errors, measured,
    latency_sum, latency_min, latency_max, last_failed_at, last_error_at, latencies, counts, statuses, status_counts`;
  const [dayChunk, hourChunk] = [chunkSql('day', 'day'), chunkSql('hour', 'hour')];
  // Pairs beyond the limit of a span are found with IN on a materialized table. This is fast even when the planner
  // misjudges their number.
  return `${rawRequestsSql(project, plan.spans, filter, parameters, levelOf(filter), rawRequests)},
       ranked AS MATERIALIZED (
         SELECT part, method, endpoint, row_number() OVER (
                  PARTITION BY part ORDER BY sum(n) DESC, endpoint COLLATE "C", method COLLATE "C") AS nth
         FROM raw_requests GROUP BY 1, 2, 3),
       named AS MATERIALIZED (
         SELECT CASE WHEN is_rest THEN '' ELSE coalesce(method, '') END AS method,
                CASE WHEN is_rest THEN '' ELSE coalesce(endpoint, '') END AS endpoint, status, latency, at, n
         FROM (SELECT *, (part, coalesce(method, ''), coalesce(endpoint, '')) IN (
                 SELECT part, coalesce(method, ''), coalesce(endpoint, '') FROM ranked WHERE nth > ${MOST_PAIRS}) AS is_rest
               FROM raw_requests OFFSET 0) found),
       rolled AS NOT MATERIALIZED (
         SELECT ${columns}, ${hourChunk} FROM endpoint_hours
         WHERE project_id = ${project} AND hour = ANY (${hours}::timestamptz[])${namedConditions(filter, NAMES, parameters)}
         UNION ALL
         SELECT ${columns}, ${dayChunk} FROM endpoint_days
         WHERE project_id = ${project} AND day = ANY (${days}::timestamptz[])${namedConditions(filter, NAMES, parameters)})`;
}

/**
 * Returns the relations `wholes` and `wholes_complete`. `wholes` has the statuses of all requests of hours and days; it
 * is far smaller than the pairs. `every` in `wholes_complete` is true when `wholes` has every status that the pairs
 * have.
 */
function wholesSql({ projectId }: Scope, plan: RollupPlan, filter: RequestFilter, parameters: Parameters): string {
  const project = parameters.bind(projectId);
  const of = (table: string, column: string, parts: readonly Date[]): string =>
    `SELECT statuses, status_counts FROM ${table} WHERE project_id = ${project} AND ${column} = ANY (${parameters.bind(parts)}::timestamptz[])`;
  return `wholes AS MATERIALIZED (
         ${of('day_rollups', 'day', plan.days)}
         UNION ALL
         ${of('hour_rollups', 'hour', plan.hours)}),
       wholes_complete AS MATERIALIZED (
         SELECT ${String(!isNamed(filter))} AND coalesce(bool_and(cardinality(statuses) < ${MOST_KEPT_STATUSES}), true) AS every FROM wholes)`;
}

/**
 * Returns the relation `<name>_lists` of {@link quantilesSql}: the latencies of some pairs.
 * @param key an integer column that identifies the pair
 */
function listsSql(name: string, pairs: string, key: string): string {
  return `${name}_lists AS MATERIALIZED (
         SELECT w.${key}, w.measured::float8 AS measured, -1 AS chunk, array_agg(i.latency) AS latencies, array_agg(i.n) AS counts,
                NULL::int[] AS failed_counts
         FROM ${pairs} w JOIN named i USING (method, endpoint) WHERE i.latency IS NOT NULL GROUP BY 1, 2
         UNION ALL
         SELECT w.${key}, w.measured::float8 AS measured, i.chunk, i.latencies, i.counts, NULL
         FROM ${pairs} w JOIN rolled i USING (method, endpoint) WHERE i.measured > 0)`;
}

/** Limits a percentile to the lowest and highest latency of its pair. The middle of a bucket may be outside of them. */
function withinSql(percentile: string, pair: string): string {
  return `CASE WHEN ${percentile} IS NOT NULL THEN least(greatest(${percentile}, ${pair}.latency_min), ${pair}.latency_max) END`;
}

/** The relation `measurable`: the wanted pairs with their 95th percentile. */
const P95_SQL = `${listsSql('ranked_pairs', 'wanted', 'id')},
       ${quantilesSql('ranked_pairs', { key: 'id', aggregates: [`${nearestRankSql(0.95)} AS p95`] })},
       measurable AS (SELECT w.*, ${withinSql('t.p95', 'w')} AS p95 FROM wanted w LEFT JOIN ranked_pairs t USING (id))`;
