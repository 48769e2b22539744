import { Injectable } from '@nestjs/common';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { BucketCoverage } from '../totals/bucket-coverage.js';
import { type ArchivedEdges, ArchivedEdgesReader } from '../totals/archived-edges.reader.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import {
  conditionsOf,
  clickHouseConditionsOf,
  type Dimension,
  type EventFilter,
  isEmptyFilter,
} from '../totals/event-filter.js';
import { ClickHouseEvents } from '../reading/clickhouse-events.reader.js';
import { countedBuckets } from '../totals/counted-buckets.reader.js';
import { type MatchingEvents, MatchingEventsReader } from '../scan/matching-events.reader.js';
import { inWindowsSql } from '../reading/windows-sql.js';
import type { TimeWindow } from '../totals/coverage.js';
import { TailReader, tailSql } from '../reading/tail.reader.js';
import type { BucketLayout } from './bucket-layout.js';
import type { FilteredEvents, AggregationQuery } from './aggregation-query.js';
import type { Snapshot } from './snapshots.js';

const HOUR_MS = 3_600_000;

type End = 'first' | 'last';

/** The source of an answer: counted hours with the rows at the edges of the window, or the events themselves. */
export type AggregateSource =
  | { readonly type: 'counted'; readonly coverage: BucketCoverage; readonly archived: ArchivedEdges | null }
  | { readonly type: 'events'; readonly events: MatchingEvents };

/** The end of the replica for a query: the last replicated block, and the events after it. */
export interface TailEvents {
  readonly block: number;
  readonly events: (window: TimeWindow) => MatchingEvents;
  /**
   * Ids of the replicated events that match, when the process has evaluated the condition. Null when SQL evaluates it.
   */
  readonly chosen: readonly string[] | null;
}

/** Selects the events of queries. */
@Injectable()
export class AggregatedEventsReader {
  constructor(
    private readonly matching: MatchingEventsReader,
    private readonly clickHouse: ClickHouseEvents,
    private readonly tail: TailReader,
    private readonly edges: ArchivedEdgesReader,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /**
   * Returns the source for a query about the buckets of a layout.
   * @param dimensions the fields that counted hours are read by; null when they cannot answer
   * @throws QueryTooLong, ArchiveUnavailable
   */
  async source(
    query: AggregationQuery,
    layout: BucketLayout,
    dimensions: readonly Dimension[] | null,
    snapshot: Snapshot,
  ): Promise<AggregateSource> {
    if (dimensions === null) return { type: 'events', events: await this.events(query, layout.span, snapshot) };
    const coverage = layout.coverage(query.now);
    return { type: 'counted', coverage, archived: await this.archivedEdges(query, coverage, dimensions, snapshot) };
  }

  private async archivedEdges(
    { scope, filter }: AggregationQuery,
    { edges }: BucketCoverage,
    dimensions: readonly Dimension[],
    { tx, inTime }: Snapshot,
  ): Promise<ArchivedEdges | null> {
    if (!(await this.edges.areArchived(edges))) return null;
    return inTime((bounds) => this.edges.of(scope, edges, { filter, dimensions }, tx, bounds));
  }

  /**
   * @param types limits the events to these types
   * @throws QueryTooLong
   */
  async events(
    { scope, where, filter }: FilteredEvents,
    window: TimeWindow,
    { tx, deadline }: Pick<Snapshot, 'tx' | 'deadline'>,
    types?: readonly string[],
  ): Promise<MatchingEvents> {
    await this.archived.assertNotArchived(window);
    const params = { window, where, filter: (bind: Bind) => filterSql(filter, types, bind) };
    return this.matching.of(tx, scope, params, deadline);
  }

  /**
   * Returns the events that have to be added to the replicated events of a window.
   * @param types limits the events to these types
   * @returns null when ClickHouse is not enabled or cannot answer
   * @throws QueryTooLong
   */
  async tailOf(
    { scope, filter, where }: FilteredEvents,
    window: TimeWindow,
    { tx, deadline }: Pick<Snapshot, 'tx' | 'deadline'>,
    signal: AbortSignal,
    types?: readonly string[],
  ): Promise<TailEvents | null> {
    if (!this.clickHouse.isEnabled) return null;
    const block = await this.tail.block(scope, tx);
    if (block === null) return null;
    const ofFilter = (bind: Bind): string => filterSql(filter, types, bind);
    const within =
      (conditions: (bind: Bind) => string): TailEvents['events'] =>
      (part) =>
      (bind) =>
        tailSql(scope.projectId, part, `${ofFilter(bind)}${conditions(bind)}`, bind);
    if (where?.isExact !== false) {
      return { block, events: within((bind) => (where === null ? '' : ` AND (${where.sql(bind)})`)), chosen: null };
    }
    const clickHouseFilter = (bind: BindValue): string => clickHouseFilterSql(filter, types, bind);
    const params = { window, filter: ofFilter, clickHouseFilter, where };
    const chosen = await this.matching.ofBoth(tx, scope, params, deadline, signal);
    if (chosen === null) return null;
    const { replicated, tail } = chosen;
    return { block, events: within((bind) => ` AND e.id = ANY (${bind(tail)}::uuid[])`), chosen: replicated };
  }

  /** Returns the oldest timestamp of some events, or null when there are none. */
  firstOf(events: MatchingEvents, snapshot: Snapshot): Promise<Date | null> {
    return this.endAmong(events, 'first', snapshot);
  }

  private async endAmong(events: MatchingEvents, end: End, snapshot: Snapshot): Promise<Date | null> {
    const parameters = new Parameters();
    const [row] = await snapshot.rows<{ at: Date | null }>(
      `SELECT ${end === 'first' ? 'min' : 'max'}(e."timestamp") AS at FROM ${events(parameters.bind)} /* tenant: they are of one project */`,
      parameters,
    );
    return row?.at ?? null;
  }

  /**
   * Returns the oldest or newest timestamp in a window. Only the filter of the query applies. Null when there are no
   * events.
   */
  async endOf(query: AggregationQuery, window: TimeWindow, end: End, snapshot: Snapshot): Promise<Date | null> {
    if (!(await this.archived.isArchived(window))) return this.keptEndOf(query, window, end, snapshot);
    const hotFrom = await this.archived.hotFrom();
    if (end === 'last' && hotFrom !== null && hotFrom < window.to) {
      const last = await this.keptEndOf(query, { from: hotFrom, to: window.to }, end, snapshot);
      if (last !== null) return last;
    }
    return this.endOfArchived(query, window, end, snapshot);
  }

  private async keptEndOf(
    { scope, filter }: AggregationQuery,
    window: TimeWindow,
    end: End,
    snapshot: Snapshot,
  ): Promise<Date | null> {
    const hour = isEmptyFilter(filter) ? null : await this.hourOf(scope, window, filter, end, snapshot);
    if (hour === undefined) return null;
    const parameters = new Parameters();
    const from = hour === null || hour < window.from ? window.from : hour;
    const afterHour = hour === null ? window.to : new Date(hour.getTime() + HOUR_MS);
    const to = afterHour < window.to ? afterHour : window.to;
    const [row] = await snapshot.rows<{ at: Date }>(
      `SELECT "timestamp" AS at FROM events
       WHERE project_id = ${parameters.bind(scope.projectId)} AND "timestamp" >= ${parameters.bind(from)}
         AND "timestamp" < ${parameters.bind(to)}${conditionsOf(filter, parameters)}
       ORDER BY "timestamp" ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      parameters,
    );
    return row?.at ?? null;
  }

  /** Returns the same as {@link endOf}, where PostgreSQL lacks events of the window. @throws ArchiveUnavailable */
  private async endOfArchived(
    { scope, filter }: AggregationQuery,
    window: TimeWindow,
    end: End,
    snapshot: Snapshot,
  ): Promise<Date | null> {
    const where = (bind: BindValue): string => `${inWindowsSql([window], bind)}${clickHouseConditionsOf(filter, bind)}`;
    const { tx, inTime } = snapshot;
    const replicated = await inTime((bounds) => this.archived.endOf(scope, end, where, tx, bounds));
    const fromTail = await this.endAmong(
      (bind) => tailSql(scope.projectId, window, filterSql(filter, undefined, bind), bind),
      end,
      snapshot,
    );
    if (replicated === null || fromTail === null) return replicated ?? fromTail;
    return fromTail < replicated === (end === 'first') ? fromTail : replicated;
  }

  /** Returns the first or last hour of the window that has a matching event, or undefined. */
  private async hourOf(
    scope: AggregationQuery['scope'],
    window: TimeWindow,
    filter: AggregationQuery['filter'],
    end: End,
    snapshot: Snapshot,
  ): Promise<Date | undefined> {
    const parameters = new Parameters();
    const project = parameters.bind(scope.projectId);
    const conditions = conditionsOf(filter, parameters);
    const [from, to] = [parameters.bind(window.from), parameters.bind(window.to)];
    // In the first and last hour of the window, all events may lie outside of the window.
    const [row] = await snapshot.rows<{ hour: Date }>(
      `SELECT h.hour FROM event_facet_hours h
       WHERE project_id = ${project} AND hour > ${from}::timestamptz - interval '1 hour' AND hour < ${to}${conditions}
         AND ((hour >= ${from} AND hour + interval '1 hour' <= ${to}) OR EXISTS (
           SELECT FROM events WHERE project_id = ${project} AND "timestamp" >= greatest(h.hour, ${from})
             AND "timestamp" < least(h.hour + interval '1 hour', ${to})${conditions}))
       ORDER BY hour ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      parameters,
    );
    return row?.hour;
  }
}

/** @param types limits the events to these types */
function filterSql(filter: EventFilter, types: readonly string[] | undefined, bind: Bind): string {
  const ofTypes = types === undefined ? '' : ` AND e.event = ANY (${bind(types)}::text[])`;
  return `true${conditionsOf(filter, { bind })}${ofTypes}`;
}

function clickHouseFilterSql(filter: EventFilter, types: readonly string[] | undefined, bind: BindValue): string {
  const ofTypes = types === undefined ? '' : ` AND e.event IN ${bind(types, 'Array(String)')}`;
  return `${clickHouseConditionsOf(filter, bind)}${ofTypes}`;
}

/**
 * Returns counted events by bucket and dimensions, with the columns `bucket`, the dimensions, `events` and `errors`.
 * Groups without events are left out.
 */
export function countedSql(
  { scope, now, filter }: AggregationQuery,
  { coverage, archived }: Extract<AggregateSource, { readonly type: 'counted' }>,
  dimensions: readonly Dimension[],
  bind: Bind,
): string {
  const counted = countedBuckets({ projectId: scope.projectId, coverage, now, filter, dimensions, archived }, bind);
  const names = ['bucket', ...dimensions].join(', ');
  return `SELECT ${names}, sum(events) AS events, sum(errors) AS errors FROM ${counted} /* tenant: compared there */
          GROUP BY ${names} HAVING sum(events) > 0`;
}

/** Returns SQL for the bucket number of an event `e`. */
export function bucketSql({ starts }: BucketLayout, bind: Bind): string {
  const [, second, ...others] = starts;
  if (second === undefined) return '0';
  if (others.length === 0) return `CASE WHEN e."timestamp" < ${bind(second)}::timestamptz THEN 0 ELSE 1 END`;
  return `width_bucket(e."timestamp", ${bind(starts)}::timestamptz[]) - 1`;
}
