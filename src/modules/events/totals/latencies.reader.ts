import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/parameters.js';
import type { BindValue } from '../../../platform/clickhouse/index.js';
import { type AlikeColumn, ColdEventsReader, instantSql, uncopiedSql } from '../event-store/index.js';
import { coverageOf, type TimeWindow } from './coverage.js';
import { inWindow } from './event-filter.js';
import { bucketOf, isOneValue, middleOf, placesOf, quantilesOf } from './latency-buckets.js';

/** Up to so many measured events percentiles are those of the values, above it those of the buckets. */
const EXACT_UP_TO = 5_000;
type Scope = Pick<ProjectScope, 'projectId'>;

const LATENCY: AlikeColumn = {
  copied: () => 'e.log_latency_ms',
  postgres: () => 'e.log_latency_ms',
  type: 'int',
};

/** What the events of one project took, by their own timestamps: from the hourly buckets, and from the rows at the edges. */
@Injectable()
export class LatenciesReader {
  constructor(
    private readonly database: Database,
    private readonly cold: ColdEventsReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Nearest-rank percentiles of the latencies that events carry, in milliseconds; null when none does. Exact where up to
   * 5,000 events carry one, above that within 1 % or one millisecond.
   * @param quantiles between 0 and 1
   * @param events how many events the window has
   */
  async percentiles(
    scope: Scope,
    window: TimeWindow,
    quantiles: readonly number[],
    events: number,
    db?: Db,
  ): Promise<(number | null)[]> {
    if (await this.cold.isCold(window)) {
      const read = (tx: Db): Promise<(number | null)[]> => this.ofCold(scope, window, quantiles, tx);
      return db === undefined ? this.database.snapshot(read) : read(db);
    }
    if (events <= EXACT_UP_TO) return this.exact(scope, window, quantiles, db);
    const parameters = new Parameters();
    const { hours, edges } = coverageOf(window, this.clock.now());
    const project = parameters.bind(scope.projectId);
    const parts = edges.map(
      (edge) =>
        `SELECT latency_bucket(log_latency_ms) AS bucket, ${edge.sign} * count(*) AS events FROM events
         WHERE project_id = ${project} AND ${inWindow('"timestamp"', edge, parameters)} AND log_has_latency GROUP BY 1`,
    );
    if (hours !== null) {
      parts.push(
        `SELECT bucket, events FROM latency_hours WHERE project_id = ${project} AND ${inWindow('hour', hours, parameters)}`,
      );
    }
    const histogram = await this.database.rows<{ bucket: number; events: number }>(
      `SELECT bucket::int, sum(events)::float8 AS events FROM (${parts.join('\nUNION ALL\n')}) counted
       GROUP BY 1 HAVING sum(events) > 0 ORDER BY 1`,
      parameters.values,
      db,
    );
    const measured = histogram.reduce((sum, one) => sum + one.events, 0);
    if (measured === 0 || measured > EXACT_UP_TO) return quantilesOf(histogram, quantiles);
    return this.ofBuckets(scope, window, placesOf(histogram, quantiles), db);
  }

  /** Where PostgreSQL lacks events of the window: how often there is each latency. */
  private async ofCold(
    { projectId }: Scope,
    window: TimeWindow,
    quantiles: readonly number[],
    tx: Db,
  ): Promise<(number | null)[]> {
    const within = (bind: BindValue): string =>
      `e.timestamp >= ${instantSql(window.from, bind)} AND e.timestamp < ${instantSql(window.to, bind)} AND e.log_has_latency`;
    const alike = await this.cold.alike({ projectId }, { columns: { ms: LATENCY }, where: within }, tx);
    const { bind, values } = new Parameters();
    const measured = await this.database.rows<{ bucket: number; events: number }>(
      `SELECT ms AS bucket, sum(n) AS events FROM ${alike.sql(uncopiedSql(projectId, window, 'e.log_has_latency', bind), bind)} found /* tenant: compared there */
       GROUP BY 1 HAVING sum(n) > 0 ORDER BY 1`,
      values,
      tx,
    );
    const places = placesOf(measured, quantiles);
    if (measured.reduce((sum, { events }) => sum + events, 0) > EXACT_UP_TO) {
      return quantiles.map((_, index) => middleOf(bucketOf(places[index]?.bucket ?? 0)));
    }
    return quantiles.map((_, index) => places[index]?.bucket ?? null);
  }

  /** The values at these places of the histogram: only hours that have something in their buckets are looked through. */
  private async ofBuckets(
    { projectId }: Scope,
    { from, to }: TimeWindow,
    places: readonly { readonly bucket: number; readonly rank: number }[],
    db?: Db,
  ): Promise<(number | null)[]> {
    const wanted = [...new Set(places.map(({ bucket }) => bucket))].filter((bucket) => !isOneValue(bucket));
    const rows =
      wanted.length === 0
        ? []
        : await this.database.rows<{ bucket: number; latencies: number[] }>(
            `SELECT latency_bucket(e.log_latency_ms)::int AS bucket,
                    array_agg(e.log_latency_ms ORDER BY e.log_latency_ms) AS latencies
             FROM (SELECT DISTINCT hour FROM latency_hours
                   WHERE project_id = $1 AND hour > $2::timestamptz - interval '1 hour' AND hour < $3
                     AND bucket = ANY ($4::int[])) h
             JOIN events e ON e.project_id = $1 AND e."timestamp" >= greatest(h.hour, $2)
               AND e."timestamp" < least(h.hour + interval '1 hour', $3)
             WHERE e.log_has_latency AND latency_bucket(e.log_latency_ms) = ANY ($4::int[]) GROUP BY 1`,
            [projectId, from, to, wanted],
            db,
          );
    const values = new Map(rows.map(({ bucket, latencies }) => [bucket, latencies]));
    return places.map(({ bucket, rank }) => values.get(bucket)?.[rank - 1] ?? middleOf(bucket));
  }

  private async exact(
    scope: Scope,
    window: TimeWindow,
    quantiles: readonly number[],
    db?: Db,
  ): Promise<(number | null)[]> {
    const [row] = await this.database.rows<{ values: number[] | null }>(
      `SELECT percentile_disc($4::float8[]) WITHIN GROUP (ORDER BY log_latency_ms) AS values FROM events
       WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND log_has_latency`,
      [scope.projectId, window.from, window.to, quantiles],
      db,
    );
    return quantiles.map((_, index) => row?.values?.[index] ?? null);
  }
}
