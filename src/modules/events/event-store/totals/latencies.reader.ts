import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { GroupedColumn } from '../reading/grouped-events.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { inWindowsSql } from '../reading/windows-sql.js';
import { tailSql } from '../reading/tail.reader.js';
import { coverageOf, type Edge, type TimeWindow } from './coverage.js';
import { inWindow } from './event-filter.js';
import { bucketOf, isOneValue, middleOf, placesOf, quantilesOf } from './latency-buckets.js';

/** Up to this many measured events, percentiles are exact. Beyond, they are computed from buckets. */
const EXACT_UP_TO = 5_000;
type Scope = Pick<ProjectScope, 'projectId'>;

type Histogram = readonly { readonly bucket: number; readonly events: number }[];

const LATENCY: GroupedColumn = {
  clickHouse: () => 'e.log_latency_ms',
  postgres: () => 'e.log_latency_ms',
  type: 'int',
};

/** Reads the latencies of a project's events by timestamp: from the hourly buckets, and from the rows at the edges. */
@Injectable()
export class LatenciesReader {
  constructor(
    private readonly database: Database,
    private readonly archived: ArchivedEventsReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns percentiles of latencies by nearest rank, in milliseconds. Null when no latency was measured. Percentiles
   * are exact up to 5,000 measured events, and otherwise within 1 % or one millisecond.
   * @param quantiles between 0 and 1
   * @param events the number of events in the window
   */
  async percentiles(
    scope: Scope,
    window: TimeWindow,
    quantiles: readonly number[],
    events: number,
    db?: Db,
  ): Promise<(number | null)[]> {
    if (await this.archived.isArchived(window)) {
      const read = (tx: Db): Promise<(number | null)[]> => this.ofArchived(scope, window, quantiles, events, tx);
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

  /** Used when PostgreSQL lacks events of the window. */
  private async ofArchived(
    scope: Scope,
    window: TimeWindow,
    quantiles: readonly number[],
    events: number,
    tx: Db,
  ): Promise<(number | null)[]> {
    if (events > EXACT_UP_TO) {
      const histogram = await this.archivedHistogram(scope, window, tx);
      const measured = histogram.reduce((sum, one) => sum + one.events, 0);
      if (measured === 0 || measured > EXACT_UP_TO) return quantilesOf(histogram, quantiles);
    }
    const values = await this.archivedLatencies(scope, [{ ...window, sign: 1 }], tx);
    const places = placesOf(
      values.map(({ ms, events: times }) => ({ bucket: ms, events: times })),
      quantiles,
    );
    return quantiles.map((_, index) => places[index]?.bucket ?? null);
  }

  /** Combines the counted whole hours with the latencies at the edges. */
  private async archivedHistogram({ projectId }: Scope, window: TimeWindow, tx: Db): Promise<Histogram> {
    const { hours, edges } = coverageOf(window, this.clock.now());
    const counted = new Map<number, number>();
    const add = (bucket: number, events: number): unknown => counted.set(bucket, (counted.get(bucket) ?? 0) + events);
    if (hours !== null) {
      const rows = await this.database.rows<{ bucket: number; events: number }>(
        `SELECT bucket::int, sum(events)::float8 AS events FROM latency_hours
         WHERE project_id = $1 AND hour >= $2 AND hour < $3 GROUP BY 1`,
        [projectId, hours.from, hours.to],
        tx,
      );
      for (const { bucket, events } of rows) add(bucket, events);
    }
    for (const { ms, events } of await this.archivedLatencies({ projectId }, edges, tx)) add(bucketOf(ms), events);
    return [...counted]
      .map(([bucket, events]) => ({ bucket, events }))
      .filter(({ events }) => events > 0)
      .sort((one, other) => one.bucket - other.bucket);
  }

  /** Returns the number of events per latency, ascending. */
  private async archivedLatencies(
    { projectId }: Scope,
    edges: readonly Edge[],
    tx: Db,
  ): Promise<{ readonly ms: number; readonly events: number }[]> {
    const counted = new Map<number, number>();
    for (const edge of edges) {
      const within = (bind: BindValue): string => `${inWindowsSql([edge], bind)} AND e.log_has_latency`;
      const grouped = await this.archived.grouped({ projectId }, { columns: { ms: LATENCY }, where: within }, tx);
      const { bind, values } = new Parameters();
      const rows = await this.database.rows<{ ms: number; events: number }>(
        `SELECT ms, sum(n) AS events FROM ${grouped.sql(tailSql(projectId, edge, 'e.log_has_latency', bind), bind)} found /* tenant: compared there */
         GROUP BY 1`,
        values,
        tx,
      );
      for (const { ms, events } of rows) counted.set(ms, (counted.get(ms) ?? 0) + edge.sign * events);
    }
    return [...counted].map(([ms, events]) => ({ ms, events })).sort((one, other) => one.ms - other.ms);
  }

  /** Returns the exact values at these places of the histogram. Only reads hours that have events in these buckets. */
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
