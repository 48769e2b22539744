import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { conditionsOf } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';
import { MOST_PAIRS } from './request-stats.repository.js';
import { dividedDaysOf, planOf, type PlannedHour, type RollupPlan } from './rollup-plan.js';
import { isNamed, isOfRollups, type RequestFilter } from './request-filter.js';

/** A longer window is reduced to the hours that have events. */
const LONG_MS = 100 * 86_400_000;

type Scope = Pick<ProjectScope, 'projectId'>;

/** Decides which rollups and rows a window is read from. A plan is valid in the snapshot that it was made in. */
@Injectable()
export class RollupPlanReader {
  constructor(private readonly database: Database) {}

  /** @param starts the starts of the buckets, ascending; the first may be before the window */
  async plan(
    scope: Scope,
    query: TimeWindow,
    filter: RequestFilter,
    starts: readonly Date[],
    tx: Db,
  ): Promise<RollupPlan> {
    const window = await this.withoutEmptyYears(scope, query, tx);
    if (window.from >= window.to) return { days: [], hours: [], spans: [], events: 0 };
    if (!isOfRollups(filter)) return planOf(window, starts, [], await this.matchingHours(scope, window, filter, tx));
    const rows = await this.database.rows<PlannedHour & { isDay: boolean }>(
      `WITH days AS MATERIALIZED (
         SELECT d.day FROM day_rollups d
         WHERE d.project_id = $1 AND d.day >= $2 AND d.day <= $3::timestamptz - interval '1 day'
           AND d.day <> ALL ($4::timestamptz[]) AND NOT (d.has_rest AND $5)
           AND d.counted = (SELECT sum(h.events) FROM event_hours h
                            WHERE h.project_id = $1 AND h.hour >= d.day AND h.hour < d.day + interval '1 day'))
       SELECT day AS hour, 0::float8 AS events, true AS "isMade", true AS "isDay" FROM days
       UNION ALL
       SELECT h.hour, h.events::float8,
              coalesce(r.counted = h.events AND NOT (r.pairs > ${MOST_PAIRS} AND $5), false), false
       FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
       WHERE h.project_id = $1 AND h.hour > $2::timestamptz - interval '1 hour' AND h.hour < $3
         AND date_trunc('day', h.hour, 'UTC') NOT IN (SELECT day FROM days)
       ORDER BY 1`,
      [scope.projectId, window.from, window.to, dividedDaysOf(starts), isNamed(filter)],
      tx,
    );
    return planOf(
      window,
      starts,
      rows.filter(({ isDay }) => isDay),
      rows.filter(({ isDay }) => !isDay),
    );
  }

  /**
   * Returns the hours with events of these values. Rollups do not distinguish these values, so the rows are read. Event
   * types have an index; for other values all rows of an hour are read.
   */
  private matchingHours(
    { projectId }: Scope,
    { from, to }: TimeWindow,
    { event }: RequestFilter,
    tx: Db,
  ): Promise<PlannedHour[]> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId);
    return this.database.rows<PlannedHour>(
      `SELECT f.hour, ${event.event === undefined ? 'h.events' : 'f.events'}::float8 AS events, false AS "isMade"
       FROM (SELECT hour, sum(events) AS events FROM event_facet_hours
             WHERE project_id = ${project} AND hour > ${parameters.bind(from)}::timestamptz - interval '1 hour'
               AND hour < ${parameters.bind(to)}${conditionsOf(event, parameters)} GROUP BY 1) f
       JOIN event_hours h ON h.project_id = ${project} AND h.hour = f.hour ORDER BY 1`,
      parameters.values,
      tx,
    );
  }

  private async withoutEmptyYears({ projectId }: Scope, { from, to }: TimeWindow, tx: Db): Promise<TimeWindow> {
    if (to.getTime() - from.getTime() <= LONG_MS) return { from, to };
    const [row] = await this.database.rows<{ first: Date | null; last: Date | null }>(
      `SELECT min(hour) AS first, max(hour) + interval '1 hour' AS last FROM event_hours WHERE project_id = $1`,
      [projectId],
      tx,
    );
    if (row === undefined || row.first === null || row.last === null) return { from, to: from };
    return { from: row.first > from ? row.first : from, to: row.last < to ? row.last : to };
  }
}
