import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { LivingProjectsReader } from '../../../tenancy/projects/index.js';
import { Database } from '../../../../platform/database/database.js';
import { STATS_COLUMNS, roundedSql, WHOLE } from './request-stats.repository.js';
import { type HourCursor, RECENT } from './hour-rollups.writer.js';
import { OURS, WORK_MEMORY } from './rollup-lock.repository.js';

const MOST_SECONDS = 300;

export interface DueDay {
  readonly projectId: ProjectId;
  /** The start of the UTC day. */
  readonly day: Date;
}

/** Builds daily rollups of requests from the hourly rollups. */
@Injectable()
export class DayRollupsWriter {
  constructor(
    private readonly database: Database,
    private readonly living: LivingProjectsReader,
  ) {}

  /**
   * Returns recent days that have ended, have all hourly rollups, and have no daily rollup with the same count. Newest
   * first.
   */
  recent(limit: number): Promise<DueDay[]> {
    return this.due(`h.hour > now() - ${RECENT} - interval '1 day'`, [], limit);
  }

  /**
   * Returns the same as {@link recent} for the days of the hours after one cursor and up to another, regardless of
   * their age.
   */
  between(after: HourCursor, last: HourCursor, limit: number): Promise<DueDay[]> {
    return this.due(
      `(h.project_id, h.hour) > ($3, $4::timestamptz) AND (h.project_id, h.hour) <= ($5, $6::timestamptz)`,
      [after.projectId, after.hour, last.projectId, last.hour],
      limit,
    );
  }

  /**
   * Builds the rollup of a day. Does nothing when another process builds rollups of the project, or when more events
   * have arrived. @returns the number of built rollups
   */
  make({ projectId, day }: DueDay): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [lock] = await this.database.rows<{ ours: boolean }>(OURS, [projectId], tx);
      if (lock?.ours !== true) return 0;
      await this.database.execute(`SET LOCAL statement_timeout = '${MOST_SECONDS}s'`, [], tx);
      await this.database.execute(`SET LOCAL work_mem = '${WORK_MEMORY}'`, [], tx);
      await this.database.execute('DELETE FROM day_rollups WHERE project_id = $1 AND day = $2', [projectId, day], tx);
      return this.database.execute(
        `WITH hours AS MATERIALIZED (
           SELECT h.hour, h.events, r.counted FROM event_hours h
           LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
           WHERE h.project_id = $1 AND h.hour >= $2 AND h.hour < $2::timestamptz + interval '1 day'),
         items AS MATERIALIZED (
           SELECT coalesce(method, '') AS method, coalesce(endpoint, '') AS endpoint, requests, ${STATS_COLUMNS}
           FROM endpoint_hours WHERE project_id = $1 AND hour IN (SELECT hour FROM hours)),
         placed AS MATERIALIZED (
           SELECT (dense_rank() OVER (ORDER BY of_pair DESC, endpoint COLLATE "C", method COLLATE "C") - 1)::int AS place,
                  method, endpoint, requests, ${STATS_COLUMNS}
           FROM (SELECT *, sum(requests) OVER (PARTITION BY method, endpoint) AS of_pair FROM items) counted
           UNION ALL
           SELECT ${WHOLE}, NULL, NULL, counted, ${STATS_COLUMNS} FROM hour_rollups
           WHERE project_id = $1 AND hour IN (SELECT hour FROM hours)),
         by_value AS (
           SELECT place, latency, status, sum(n)::int AS n, coalesce(sum(failed), 0)::int AS failed
           FROM (SELECT place, l.latency, NULL::int AS status, l.n, l.failed
                 FROM placed CROSS JOIN LATERAL unnest(latencies, counts, failed_counts) AS l (latency, n, failed)
                 UNION ALL
                 SELECT place, NULL, c.status, c.n, NULL
                 FROM placed CROSS JOIN LATERAL unnest(statuses, status_counts) AS c (status, n)) listed
           GROUP BY 1, 2, 3),
         lists AS (
           SELECT place, array_agg(latency ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS latencies,
                  array_agg(n ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS counts,
                  array_agg(failed ORDER BY latency) FILTER (WHERE latency IS NOT NULL) AS failed_counts,
                  sum(failed) > 0 AS has_failed,
                  array_agg(status ORDER BY status) FILTER (WHERE status IS NOT NULL) AS statuses,
                  array_agg(n ORDER BY status) FILTER (WHERE status IS NOT NULL) AS status_counts
           FROM by_value GROUP BY 1),
         summed AS MATERIALIZED (
           SELECT place, max(method) AS method, max(endpoint) AS endpoint, sum(requests) AS requests,
                  sum(client_errors) AS client_errors, sum(errors) AS errors, sum(measured) AS measured, sum(fast) AS fast,
                  sum(slow) AS slow, sum(latency_sum) AS latency_sum, min(latency_min) AS latency_min,
                  max(latency_max) AS latency_max, max(last_failed_at) AS last_failed_at, max(last_error_at) AS last_error_at,
                  max(latencies) AS latencies, max(counts) AS counts, max(failed_counts) AS failed_counts,
                  bool_or(has_failed) AS has_failed, max(statuses) AS statuses, max(status_counts) AS status_counts
           FROM (SELECT place, method, endpoint, requests, client_errors, errors, measured, fast, slow, latency_sum, latency_min,
                        latency_max, last_failed_at, last_error_at, NULL::int[] AS latencies, NULL::int[] AS counts,
                        NULL::int[] AS failed_counts, NULL::boolean AS has_failed, NULL::int[] AS statuses,
                        NULL::int[] AS status_counts FROM placed
                 UNION ALL
                 SELECT place, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, latencies, counts,
                        failed_counts, has_failed, statuses, status_counts FROM lists) both_of_them
           GROUP BY 1),
         ${roundedSql('place, method, endpoint, requests')},
         kept AS MATERIALIZED (
           SELECT * FROM stats WHERE (SELECT bool_and(coalesce(counted = events, false)) FROM hours)),
         endpoints AS (
           INSERT INTO endpoint_days (project_id, day, place, method, endpoint, requests, ${STATS_COLUMNS})
           SELECT $1, $2, place, nullif(method, ''), nullif(endpoint, ''), requests, ${STATS_COLUMNS}
           FROM kept WHERE place <> ${WHOLE})
         INSERT INTO day_rollups (project_id, day, counted, has_rest, ${STATS_COLUMNS})
         SELECT $1, $2, requests, EXISTS (SELECT FROM items WHERE method = ''), ${STATS_COLUMNS}
         FROM kept WHERE place = ${WHOLE}`,
        [projectId, day],
        tx,
      );
    });
  }

  private async due(hours: string, values: readonly unknown[], limit: number): Promise<DueDay[]> {
    const read = (besides: readonly ProjectId[]): Promise<DueDay[]> =>
      this.database.rows<DueDay>(
        `WITH days AS MATERIALIZED (
         SELECT DISTINCT /* every tenant: each in its turn */ h.project_id, date_trunc('day', h.hour, 'UTC') AS day
         FROM event_hours h WHERE h.project_id <> ALL ($2::uuid[]) AND ${hours})
       SELECT d.project_id AS "projectId", d.day
       FROM days d
       CROSS JOIN LATERAL (
         SELECT sum(h.events) AS events, bool_and(coalesce(r.counted = h.events, false)) AS made
         FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
         WHERE h.project_id = d.project_id AND h.hour >= d.day AND h.hour < d.day + interval '1 day') t
       LEFT JOIN day_rollups s ON s.project_id = d.project_id AND s.day = d.day
       WHERE d.day <= now() - interval '1 day' AND t.made AND s.counted IS DISTINCT FROM t.events
       ORDER BY d.day DESC, d.project_id LIMIT $1`,
        [limit, besides, ...values],
      );
    return this.living.rows(read, ({ projectId }) => projectId);
  }
}
