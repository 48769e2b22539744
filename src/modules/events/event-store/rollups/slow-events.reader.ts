import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { conditionsOf } from '../totals/event-filter.js';
import { type EventLocator, LOCATOR_COLUMNS } from '../lists/event-locator.js';
import type { TimeWindow } from '../totals/coverage.js';
import { tailSql } from '../reading/tail.reader.js';
import { requestConditions, type RequestFilter } from './request-filter.js';

/** The upper bound of an hour without a complete rollup. */
const ANY_LATENCY = 2_147_483_647;

/** An hour of the window with events, and the maximum latency of its events. */
export interface BoundedHour extends TimeWindow {
  readonly events: number;
  readonly most: number;
  readonly isMade: boolean;
}

export interface SlowLocator extends EventLocator {
  readonly latency: number;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/** Finds the slowest events without an index on latency. Rollups have the maximum latency of each hour. */
@Injectable()
export class SlowEventsReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the hours that may have events of at least this latency, ordered by maximum latency and then newest first.
   */
  hours(
    { projectId }: Scope,
    { from, to }: TimeWindow,
    filter: RequestFilter,
    minMs: number,
    tx: Db,
  ): Promise<BoundedHour[]> {
    const parameters = new Parameters();
    const [project, start, end] = [parameters.bind(projectId), parameters.bind(from), parameters.bind(to)];
    const within = `project_id = ${project} AND hour > ${start}::timestamptz - interval '1 hour' AND hour < ${end}`;
    const facets = conditionsOf(filter.event, parameters);
    // A filter selects the hours that have its values. The maximum latency of the hour is an upper bound for them, too.
    const matching =
      facets === '' ? '' : ` AND h.hour IN (SELECT hour FROM event_facet_hours WHERE ${within}${facets})`;
    return this.database.rows<BoundedHour>(
      `SELECT greatest(h.hour, ${start}) AS "from", least(h.hour + interval '1 hour', ${end}) AS "to", events, most, made AS "isMade"
       FROM (SELECT c.hour, c.events::float8 AS events, coalesce(r.counted = c.events, false) AS made,
                    CASE WHEN r.counted = c.events THEN coalesce(r.latency_max, -1) ELSE ${ANY_LATENCY} END AS most
             FROM (SELECT hour, events FROM event_hours WHERE ${within}) c
             LEFT JOIN hour_rollups r ON r.project_id = ${project} AND r.hour = c.hour) h
       WHERE h.most >= ${parameters.bind(minMs)}${matching} ORDER BY h.most DESC, h.hour DESC`,
      parameters.values,
      tx,
    );
  }

  /** Returns the slowest events of some spans, newest first when equal. */
  slowest(
    { projectId }: Scope,
    spans: readonly TimeWindow[],
    filter: RequestFilter,
    { minMs, limit }: { readonly minMs: number; readonly limit: number },
    tx: Db,
  ): Promise<SlowLocator[]> {
    const parameters = new Parameters();
    const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)].map((list) =>
      parameters.bind(list),
    );
    return this.database.rows<SlowLocator>(
      `SELECT found.* FROM unnest(${from}::timestamptz[], ${to}::timestamptz[]) AS spans (starts, ends)
       CROSS JOIN LATERAL (
         SELECT ${LOCATOR_COLUMNS}, log_latency_ms AS latency FROM events
         WHERE project_id = ${parameters.bind(projectId)} AND "timestamp" >= spans.starts AND "timestamp" < spans.ends
           AND log_has_latency AND log_latency_ms >= ${parameters.bind(minMs)}${requestConditions(filter, parameters)}
         ORDER BY log_latency_ms DESC, "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)}) found
       ORDER BY latency DESC, "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)}`,
      parameters.values,
      tx,
    );
  }

  /** Returns the same as {@link slowest}, among the events of a window that are not replicated yet. */
  slowestOfTail(
    { projectId }: Scope,
    window: TimeWindow,
    filter: RequestFilter,
    { minMs, limit }: { readonly minMs: number; readonly limit: number },
    tx: Db,
  ): Promise<SlowLocator[]> {
    const parameters = new Parameters();
    const conditions = `log_has_latency AND log_latency_ms >= ${parameters.bind(minMs)}${requestConditions(filter, parameters)}`;
    return this.database.rows<SlowLocator>(
      `SELECT ${LOCATOR_COLUMNS}, log_latency_ms AS latency FROM ${tailSql(projectId, window, conditions, parameters.bind)}
       ORDER BY log_latency_ms DESC, "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)} /* tenant: compared there */`,
      parameters.values,
      tx,
    );
  }

  /** Returns the time of the first request among the events of a window that are not replicated yet. */
  async firstOfTail({ projectId }: Scope, window: TimeWindow, filter: RequestFilter, tx: Db): Promise<Date | null> {
    const parameters = new Parameters();
    const conditions = `true${requestConditions(filter, parameters)}`;
    const [row] = await this.database.rows<{ at: Date | null }>(
      `SELECT min(e."timestamp") AS at FROM ${tailSql(projectId, window, conditions, parameters.bind)} /* tenant: compared there */`,
      parameters.values,
      tx,
    );
    return row?.at ?? null;
  }
}

/** Orders by latency in descending order, then newest first, then by id in descending order. */
export function slowestFirst(a: SlowLocator, b: SlowLocator): number {
  if (a.latency !== b.latency) return b.latency - a.latency;
  const [at, other] = [a.timestamp.getTime(), b.timestamp.getTime()];
  return at === other ? (a.id < b.id ? 1 : -1) : other - at;
}
