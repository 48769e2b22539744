import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { statsSql } from './request-stats.repository.js';
import { chunkSql, nearestRankSql, quantilesSql } from './latency-quantiles.repository.js';
import { ClickHouseRequestsReader } from './clickhouse-requests.reader.js';
import { type RawRequests, rawRequestsSql } from './raw-requests.repository.js';
import type { ReadTime } from './read-time.js';
import type { RollupPlan } from './rollup-plan.js';
import { isNamed, isOfEvents, namedConditions, requestConditions, type RequestFilter } from './request-filter.js';

const STATS = `requests, client_errors, errors, measured, fast, slow, latency_sum, latency_min, latency_max, latencies, counts,
  failed_counts`;
const NAMES = { method: 'method', endpoint: 'endpoint' };

/** The statistics of the requests in one bucket. */
export interface RequestStats {
  readonly requests: number;
  readonly clientErrors: number;
  readonly errors: number;
  readonly measured: number;
  readonly fast: number;
  readonly slow: number;
  readonly latencySum: number;
  readonly latencyMin: number | null;
  readonly latencyMax: number | null;
  /** One value per requested quantile, by nearest rank in whole milliseconds. Empty when no latency was measured. */
  readonly percentiles: readonly number[];
  /**
   * Counts for the Apdex score. `satisfied` has a status below 500 and a latency up to the threshold. `tolerating` has
   * a status below 500 and a latency above the threshold and up to four times the threshold.
   */
  readonly satisfied: number;
  readonly tolerating: number;
}

export interface BucketStats extends RequestStats {
  /** The index in `starts`. -1 is before the first start. */
  readonly bucket: number;
}

export interface RequestStatsQuery {
  /** The starts of the buckets, ascending. When empty, all requests are in one bucket. */
  readonly starts: readonly Date[];
  readonly quantiles: readonly number[];
  readonly apdexMs?: number;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/**
 * Aggregates the requests of a window by bucket. There may be millions of latencies, so the database aggregates them
 * and returns one row per bucket.
 */
@Injectable()
export class RequestStatsReader {
  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseRequestsReader,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /** Buckets without requests may be missing. */
  async read(
    scope: Scope,
    plan: RollupPlan,
    filter: RequestFilter,
    { starts, quantiles, apdexMs = 0 }: RequestStatsQuery,
    time: ReadTime,
    tx: Db,
  ): Promise<BucketStats[]> {
    const rawRequests = await this.clickHouse.rawRequests(scope, plan, filter, 'whole', time, tx);
    const parameters = new Parameters();
    const parts = partsSql(scope, plan, filter, parameters, rawRequests);
    const [buckets, threshold] = [parameters.bind(starts), parameters.bind(apdexMs)];
    const percentiles = quantiles.map((quantile) => nearestRankSql(quantile));
    // The relations are only joined with one row per bucket, because the planner cannot estimate their sizes.
    return this.database.rows<BucketStats>(
      `WITH ${parts},
       placed AS MATERIALIZED (SELECT *, width_bucket(part, ${buckets}::timestamptz[]) - 1 AS bucket FROM parts),
       totals AS MATERIALIZED (
         SELECT bucket, sum(requests) AS requests, sum(client_errors) AS client_errors, sum(errors) AS errors,
                sum(measured) AS measured, sum(fast) AS fast, sum(slow) AS slow, sum(latency_sum) AS latency_sum,
                min(latency_min) AS latency_min, max(latency_max) AS latency_max FROM placed GROUP BY 1),
       quantiles_lists AS MATERIALIZED (
         SELECT p.bucket, p.chunk, t.measured::float8 AS measured, p.latencies, p.counts, p.failed_counts
         FROM placed p JOIN totals t USING (bucket) WHERE p.measured > 0),
       ${quantilesSql('quantiles', {
         key: 'bucket',
         aggregates: [
           `ARRAY[${percentiles.join(', ')}]::int[] AS percentiles`,
           `sum(n - failed) FILTER (WHERE value <= ${threshold}::int) AS satisfied`,
           `sum(n - failed) FILTER (WHERE value > ${threshold}::int AND value <= 4::bigint * ${threshold}::int) AS tolerating`,
         ],
       })}
       SELECT t.bucket, t.requests::float8 AS requests, t.client_errors::float8 AS "clientErrors", t.errors::float8 AS errors,
              t.measured::float8 AS measured, t.fast::float8 AS fast, t.slow::float8 AS slow,
              t.latency_sum::float8 AS "latencySum", t.latency_min AS "latencyMin", t.latency_max AS "latencyMax",
              ARRAY(SELECT least(greatest(p.value, t.latency_min), t.latency_max)
                    FROM unnest(l.percentiles) WITH ORDINALITY AS p (value, nth) ORDER BY p.nth) AS percentiles,
              coalesce(l.satisfied, 0)::float8 AS satisfied, coalesce(l.tolerating, 0)::float8 AS tolerating
       FROM totals t LEFT JOIN quantiles l USING (bucket) ORDER BY 1 /* tenant: each part compares the project */`,
      parameters.values,
      tx,
    );
  }

  /** Returns the start of the first part with requests, or null. */
  async firstPart(scope: Scope, plan: RollupPlan, filter: RequestFilter, time: ReadTime, tx: Db): Promise<Date | null> {
    const rawRequests = await this.clickHouse.rawRequests(scope, plan, filter, 'whole', time, tx);
    const parameters = new Parameters();
    const [row] = await this.database.rows<{ first: Date | null }>(
      `WITH ${partsSql(scope, plan, filter, parameters, rawRequests)}
       SELECT min(part) AS first FROM parts WHERE requests > 0 /* tenant: each part compares the project */`,
      parameters.values,
      tx,
    );
    return row?.first ?? null;
  }

  /** Returns the time of the first request in a span, or null. */
  async firstAt(
    { projectId }: Scope,
    { from, to }: TimeWindow,
    filter: RequestFilter,
    time: ReadTime,
    tx: Db,
  ): Promise<Date | null> {
    if (isOfEvents(filter) || (await this.archived.isArchived({ from }))) {
      return this.clickHouse.firstAt({ projectId }, { from, to }, filter, time, tx);
    }
    const parameters = new Parameters();
    const [row] = await this.database.rows<{ timestamp: Date }>(
      `SELECT "timestamp" FROM events
       WHERE project_id = ${parameters.bind(projectId)} AND "timestamp" >= ${parameters.bind(from)}
         AND "timestamp" < ${parameters.bind(to)}${requestConditions(filter, parameters)}
       ORDER BY "timestamp" LIMIT 1`,
      parameters.values,
      tx,
    );
    return row?.timestamp ?? null;
  }
}

/**
 * Returns the relation `parts`: the statistics of each part of a plan. A part is identified by its start `part`, and
 * may have several rows.
 */
function partsSql(
  { projectId }: Scope,
  plan: RollupPlan,
  filter: RequestFilter,
  parameters: Parameters,
  rawRequests: RawRequests | null,
): string {
  const project = parameters.bind(projectId);
  const [days, hours] = [parameters.bind(plan.days), parameters.bind(plan.hours)];
  const [dayChunk, hourChunk] = [chunkSql('day', 'day'), chunkSql('hour', 'hour')];
  // Reads whole rollups, or the requested pairs of rollups.
  const rolled = isNamed(filter)
    ? `SELECT day AS part, ${STATS}, ${dayChunk} FROM endpoint_days
         WHERE project_id = ${project} AND day = ANY (${days}::timestamptz[])${namedConditions(filter, NAMES, parameters)}
         UNION ALL
         SELECT hour, ${STATS}, ${hourChunk} FROM endpoint_hours
         WHERE project_id = ${project} AND hour = ANY (${hours}::timestamptz[])${namedConditions(filter, NAMES, parameters)}`
    : `SELECT day AS part, ${STATS}, ${dayChunk} FROM (SELECT *, counted AS requests FROM day_rollups) d
         WHERE project_id = ${project} AND day = ANY (${days}::timestamptz[])
         UNION ALL
         SELECT hour, ${STATS}, ${hourChunk} FROM (SELECT *, counted AS requests FROM hour_rollups) h
         WHERE project_id = ${project} AND hour = ANY (${hours}::timestamptz[])`;
  const events = rawRequestsSql(project, plan.spans, filter, parameters, 'whole', rawRequests);
  return `${events}, ${statsSql('whole')},
       parts AS MATERIALIZED (SELECT part, ${STATS}, ${chunkSql('part', 'hour')} FROM stats UNION ALL ${rolled})`;
}
