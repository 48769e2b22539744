import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import type { ReadBounds } from '../../../../platform/clickhouse/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { type ArchivedEdges, ArchivedEdgesReader } from './archived-edges.reader.js';
import type { Count, Interval } from './count.js';
import { type Coverage, coverageOf, type TimeWindow, wholeDays } from './coverage.js';
import { conditionsOf, type Dimension, DIMENSIONS, type EventFilter, inWindow, isEmptyFilter } from './event-filter.js';

export interface Totals {
  readonly events: number;
  /** Events whose derived status is 500 or more. */
  readonly errors: number;
}

export interface Group extends Totals {
  readonly value: string | null;
}

export interface Bucket extends Totals {
  /** The UTC start of the minute, hour or day. */
  readonly at: Date;
}

export interface FacetValue {
  readonly value: string | null;
  readonly events: number;
}

/** An hour with matching events within the window. `newer` is the number of matching events in later hours. */
export interface MatchingHour {
  readonly hour: Date;
  readonly events: number;
  readonly newer: number;
}

export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/** A snapshot whose reads have a time limit. */
interface LimitedSnapshot {
  readonly tx: Db;
  /** Limits the next statement of PostgreSQL to the remaining time. */
  readonly limit: () => Promise<void>;
  /** Limits a read of ClickHouse to the remaining time. */
  readonly inTime: <T>(look: (bounds: ReadBounds) => Promise<T>) => Promise<T>;
}

/** A page limit that returns everything. */
export const EVERY = 2 ** 52;
const DAY_MS = 86_400_000;
/** For longer windows, the days of a page are found first. */
const MANY_DAYS_MS = 3 * DAY_MS;

type Scope = Pick<ProjectScope, 'projectId'>;

/**
 * Counts events of a project by timestamp. Counts are exact for every window: whole hours come from counters that are
 * updated in the transaction of the events, and the edges come from the rows. One statement reads both, from one
 * snapshot.
 */
@Injectable()
export class EventTotalsReader {
  constructor(
    private readonly database: Database,
    private readonly archived: ArchivedEdgesReader,
    private readonly clock: Clock,
  ) {}

  async total(scope: Scope, window: TimeWindow, filter: EventFilter = {}, db?: Db): Promise<Totals> {
    const count = { ...this.of(scope, window), filter, dimensions: [] };
    const rows = await this.ask<Totals>(count, (counted) => `SELECT ${SUMS} FROM ${counted} ${TENANT}`, db);
    return rows[0] ?? { events: 0, errors: 0 };
  }

  /** Returns values with events, ordered by number of events and then by value, at most `limit`. */
  by(
    scope: Scope,
    dimension: Dimension,
    window: TimeWindow,
    options: { filter?: EventFilter; limit?: number } = {},
    db?: Db,
  ): Promise<Group[]> {
    return this.groupsOf<Group>(SUMS, scope, dimension, window, options, db);
  }

  /**
   * Returns the same as {@link by} without errors. Then the rows at the edges of the window are read from an index
   * alone. This holds for event types, and for sources when only `named` ones are requested.
   */
  eventsBy(
    scope: Scope,
    dimension: Dimension,
    window: TimeWindow,
    options: { limit?: number; named?: true } = {},
    db?: Db,
  ): Promise<Omit<Group, 'errors'>[]> {
    return this.groupsOf<Omit<Group, 'errors'>>(EVENTS, scope, dimension, window, options, db);
  }

  private groupsOf<Row extends Omit<Group, 'errors'>>(
    sums: string,
    scope: Scope,
    dimension: Dimension,
    window: TimeWindow,
    { filter = {}, limit, named }: { filter?: EventFilter; limit?: number; named?: true },
    db?: Db,
  ): Promise<Row[]> {
    return this.ask<Row>(
      { ...this.of(scope, window), filter, dimensions: [dimension], named },
      (
        counted,
        { bind },
      ) => `SELECT ${dimension} AS value, ${sums} FROM ${counted} ${TENANT} GROUP BY 1 HAVING sum(events) > 0
       ORDER BY 2 DESC, 1 ${limit === undefined ? '' : `LIMIT ${bind(limit)}`}`,
      db,
    );
  }

  /** Returns buckets with events, in the order of time. The first and last bucket are limited to the window. */
  over(scope: Scope, interval: Interval, window: TimeWindow, db?: Db): Promise<Bucket[]> {
    return this.bucketsOf<Bucket>(SUMS, scope, interval, window, { db });
  }

  /**
   * Returns the same as {@link over} without errors. Then the rows at the edges of the window are read from an index
   * alone.
   */
  eventsOver(scope: Scope, interval: Interval, window: TimeWindow): Promise<Omit<Bucket, 'errors'>[]> {
    return this.bucketsOf<Omit<Bucket, 'errors'>>(EVENTS, scope, interval, window, {});
  }

  private bucketsOf<Row extends Omit<Bucket, 'errors'>>(
    sums: string,
    scope: Scope,
    interval: Interval,
    window: TimeWindow,
    { filter = {}, db }: { filter?: EventFilter; db?: Db | undefined },
  ): Promise<Row[]> {
    const now = this.clock.now();
    const coverage: Coverage =
      interval === 'minute' ? { hours: null, edges: [{ ...window, sign: 1 }] } : coverageOf(window, now);
    return this.ask<Row>(
      { projectId: scope.projectId, coverage, now, filter, dimensions: [], bucket: interval },
      (counted) =>
        `SELECT bucket AS at, ${sums} FROM ${counted} ${TENANT} GROUP BY 1 HAVING sum(events) > 0 ORDER BY 1`,
      db,
    );
  }

  /** Returns the {@link values} of every dimension, at most `limit` of each. */
  facets(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    limit: number,
    snapshot?: LimitedSnapshot,
  ): Promise<Record<Dimension, FacetValue[]>> {
    const most = { event: limit, source_id: limit, severity: limit, status: limit, environment: limit };
    return this.values(scope, window, filter, most, snapshot);
  }

  /**
   * Returns the values of the given dimensions with their number of events, in descending order. Each dimension is
   * counted under the filter on the other dimensions.
   * @param most the maximum number of values per dimension; null for all
   */
  async values<D extends Dimension>(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    most: Readonly<Record<D, number | null>>,
    snapshot?: LimitedSnapshot,
  ): Promise<Record<D, FacetValue[]>> {
    const wanted = DIMENSIONS.filter((name): name is D => name in most);
    const needed = DIMENSIONS.filter((name) => name in most || filter[name] !== undefined);
    const ofOne = (name: D, parameters: Parameters): string =>
      `(SELECT '${name}' AS name, ${name}::text AS value, sum(events)::float8 AS events FROM combinations
        WHERE true${conditionsOf(filter, parameters, name)} GROUP BY ${name} ORDER BY 3 DESC, 2
        LIMIT ${parameters.bind(most[name])}::bigint)`;
    const rows = await this.ask<FacetValue & { name: D }>(
      { ...this.of(scope, window), filter: {}, dimensions: needed },
      (counted, parameters) => `WITH combinations AS MATERIALIZED (
         SELECT ${needed.join(', ')}, sum(events) AS events FROM ${counted} ${TENANT}
         GROUP BY ${needed.join(', ')} HAVING sum(events) > 0)
       ${wanted.map((name) => ofOne(name, parameters)).join('\nUNION ALL\n')}`,
      snapshot?.tx,
      snapshot,
    );
    const of = (dimension: D): FacetValue[] =>
      rows
        .filter(({ name }) => name === dimension)
        .map(({ value, events }) => ({ value, events }))
        .sort((a, b) => b.events - a.events);
    return Object.fromEntries(wanted.map((name) => [name, of(name)])) as Record<D, FacetValue[]>;
  }

  /**
   * Returns the total, and the hours that contain the matching events `offset` + 1 to `offset` + `limit`, newest first.
   * So a page only reads its own hours, regardless of the offset and of how rare the values are.
   */
  async matchingHours(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    page: OffsetPage,
    db?: Db,
  ): Promise<{ total: number; hours: MatchingHour[] }> {
    const isLong = window.to.getTime() - window.from.getTime() > MANY_DAYS_MS;
    if (isEmptyFilter(filter) || !isLong || page.limit >= EVERY) return this.hoursOf(scope, window, filter, page, db);
    return this.ofOneMoment(db, (tx) => this.hoursOfDays(scope, window, filter, page, tx));
  }

  /**
   * Returns the same as {@link hoursOf}, but finds the days of the page first. With a filter, an hour has a row for
   * each combination of values, so reading all hours of a long window takes long.
   */
  private async hoursOfDays(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    { offset, limit }: OffsetPage,
    tx: Db,
  ): Promise<{ total: number; hours: MatchingHour[] }> {
    const days = await this.bucketsOf<Omit<Bucket, 'errors'>>(EVENTS, scope, 'day', window, { filter, db: tx });
    let total = 0;
    let newer = 0;
    const shown: Date[] = [];
    for (const { at, events } of days.reverse()) {
      const isBefore = total + events <= offset;
      if (isBefore) newer += events;
      else if (total < offset + limit) shown.push(at);
      total += events;
    }
    const [newest, oldest] = [shown[0], shown.at(-1)];
    if (newest === undefined || oldest === undefined) return { total, hours: [] };
    const span = {
      from: new Date(Math.max(window.from.getTime(), oldest.getTime())),
      to: new Date(Math.min(window.to.getTime(), newest.getTime() + DAY_MS)),
    };
    const { hours } = await this.hoursOf(scope, span, filter, { offset: offset - newer, limit }, tx);
    return { total, hours: hours.map((hour) => ({ ...hour, newer: hour.newer + newer })) };
  }

  private async hoursOf(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    { offset, limit }: OffsetPage,
    db: Db | undefined,
  ): Promise<{ total: number; hours: MatchingHour[] }> {
    const rows = await this.ask<{ total: number } & { [K in keyof MatchingHour]: MatchingHour[K] | null }>(
      { ...this.of(scope, window), filter, dimensions: [], bucket: 'hour' },
      (counted, { bind }) => `WITH hours AS (SELECT bucket AS hour, sum(events) AS events FROM ${counted} ${TENANT}
                      GROUP BY 1 HAVING sum(events) > 0),
            numbered AS (SELECT hour, events, sum(events) OVER (ORDER BY hour DESC) - events AS newer FROM hours)
       SELECT t.total::float8 AS total, n.hour, n.events::float8 AS events, n.newer::float8 AS newer
       FROM (SELECT coalesce(sum(events), 0) AS total FROM hours) t
       LEFT JOIN numbered n ON n.newer + n.events > ${bind(offset)}::bigint AND n.newer < ${bind(offset + limit)}::bigint
       ORDER BY n.hour DESC`,
      db,
    );
    return {
      total: rows[0]?.total ?? 0,
      hours: rows.flatMap(({ hour, events, newer }) =>
        hour === null || events === null || newer === null ? [] : [{ hour, events, newer }],
      ),
    };
  }

  /** @param sql returns the statement for the counted relation */
  private async ask<Row>(
    count: Count,
    sql: (counted: string, parameters: Parameters) => string,
    db: Db | undefined,
    limited?: LimitedSnapshot,
  ): Promise<Row[]> {
    const isArchived = await this.archived.areArchived(count.coverage.edges, db);
    const read = async (tx: Db | undefined): Promise<Row[]> => {
      const edges = isArchived && tx !== undefined ? await this.archivedEdges(count, tx, limited) : null;
      await limited?.limit();
      const parameters = new Parameters();
      return this.database.rows<Row>(sql(countedRows(count, edges, parameters), parameters), parameters.values, tx);
    };
    // The counts and the events that are not replicated yet must come from one snapshot.
    return isArchived ? this.ofOneMoment(db, read) : read(db);
  }

  private ofOneMoment<T>(db: Db | undefined, work: (tx: Db) => Promise<T>): Promise<T> {
    return db === undefined ? this.database.snapshot(work) : work(db);
  }

  private archivedEdges(
    { projectId, coverage, filter, dimensions, bucket }: Count,
    tx: Db,
    limited: LimitedSnapshot | undefined,
  ): Promise<ArchivedEdges> {
    const query = { filter, dimensions, interval: bucket };
    const read = (bounds?: ReadBounds): Promise<ArchivedEdges> =>
      this.archived.of({ projectId }, coverage.edges, query, tx, bounds);
    return limited === undefined ? read() : limited.inTime(read);
  }

  private of(scope: Scope, window: TimeWindow): Pick<Count, 'projectId' | 'coverage' | 'now'> {
    const now = this.clock.now();
    return { projectId: scope.projectId, coverage: coverageOf(window, now), now };
  }
}

/** The lint rule about tenants cannot read the conditions inside the relation. */
const TENANT = '/* tenant: countedRows compares the project in each of its parts */';
const EVENTS = 'coalesce(sum(events), 0)::float8 AS events';
const SUMS = `${EVENTS}, coalesce(sum(errors), 0)::float8 AS errors`;

/**
 * Returns the counted hours and the rows of the edges as one relation of partial counts, which the caller sums up.
 * Counts are negative where an hour extends beyond the window. One statement reads both from one snapshot. A column
 * that the caller does not use is not read.
 */
function countedRows(count: Count, archived: ArchivedEdges | null, parameters: Parameters): string {
  const { projectId, coverage, filter, dimensions, bucket, named = false } = count;
  // The parameter is only bound when used, because a count of archived edges alone does not need it.
  let place: string | undefined;
  const project = (): string => (place ??= parameters.bind(projectId));
  const parts: string[] = [];
  const conditions = (): string =>
    conditionsOf(filter, parameters) + (named ? dimensions.map((name) => ` AND ${name} IS NOT NULL`).join('') : '');
  const columns = (time: string): string[] => [
    ...dimensions,
    ...(bucket === undefined ? [] : [`date_bin('1 ${bucket}', ${time}, '1970-01-01T00:00:00Z') AS bucket`]),
  ];
  const counted = (table: string, time: string, window: TimeWindow, sign: 1 | -1 = 1): void => {
    parts.push(
      `SELECT ${[...columns(time), `${sign} * events`, `${sign} * errors`].join(', ')} FROM ${table}
       WHERE project_id = ${project()} AND ${inWindow(time, window, parameters)}${conditions()}`,
    );
  };
  if (coverage.hours !== null) {
    if (dimensions.length === 0 && isEmptyFilter(filter)) counted('event_hours', 'hour', coverage.hours);
    else {
      const { days, hours } =
        bucket === 'hour'
          ? { days: null, hours: [{ ...coverage.hours, sign: 1 as const }] }
          : wholeDays(coverage.hours, count.now);
      if (days !== null) counted('event_facet_days', 'day', days);
      for (const rest of hours) counted('event_facet_hours', 'hour', rest, rest.sign);
    }
  }
  for (const edge of coverage.edges) {
    const isArchived = archived?.has(edge) === true;
    const keys = columns(isArchived ? 'at' : '"timestamp"');
    const groups = keys.map((_, index) => index + 1).join(', ');
    const [grouped, signed] = [groups === '' ? '' : `GROUP BY ${groups}`, (sql: string) => `${edge.sign} * ${sql}`];
    parts.push(
      isArchived
        ? `SELECT ${[...keys, signed('sum(n)'), signed('sum(n) FILTER (WHERE failed)')].join(', ')}
           FROM archived_edges WHERE ${inWindow('at', edge, parameters)}${conditions()} ${grouped}`
        : `SELECT ${[...keys, signed('count(*)'), signed('count(*) FILTER (WHERE log_status >= 500)')].join(', ')}
           FROM events WHERE project_id = ${project()} AND ${inWindow('"timestamp"', edge, parameters)}${conditions()} ${grouped}`,
    );
  }
  const names = [...dimensions, ...(bucket === undefined ? [] : ['bucket'])];
  const beside =
    archived === null
      ? ''
      : `WITH archived_edges AS MATERIALIZED (SELECT * FROM ${archived.sql(parameters.bind)} found ${TENANT}) `;
  return `(${beside}${parts.join('\nUNION ALL\n')}) AS counted (${[...names, 'events', 'errors'].join(', ')})`;
}
