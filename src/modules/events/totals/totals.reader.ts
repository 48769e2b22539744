import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/parameters.js';
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
  /** The UTC beginning of the minute, hour or day. */
  readonly at: Date;
}

export interface FacetValue {
  readonly value: string | null;
  readonly events: number;
}

/** An hour with matching events, clipped by the window; `newer` counts those of the hours after it. */
export interface MatchingHour {
  readonly hour: Date;
  readonly events: number;
  readonly newer: number;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/**
 * Counts events of one project by their own timestamps: exact for every window, since whole hours come from the rollups
 * kept in the events' transaction and the edges from the rows, both in one statement and so of one moment.
 */
@Injectable()
export class EventTotalsReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async total(scope: Scope, window: TimeWindow, filter: EventFilter = {}, db?: Db): Promise<Totals> {
    const parameters = new Parameters();
    const counted = countedRows({ ...this.of(scope, window), filter, dimensions: [] }, parameters);
    const rows = await this.database.rows<Totals>(`SELECT ${SUMS} FROM ${counted} ${TENANT}`, parameters.values, db);
    return rows[0] ?? { events: 0, errors: 0 };
  }

  /** Values with events, most events first, then in the order of the values; `limit` values at most. */
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
   * As {@link by}, without errors: of the rows at the window's ends no more than an index is read then, for event names and,
   * where they alone are wanted, for `named` sources.
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
    const parameters = new Parameters();
    const counted = countedRows({ ...this.of(scope, window), filter, dimensions: [dimension], named }, parameters);
    return this.database.rows<Row>(
      `SELECT ${dimension} AS value, ${sums} FROM ${counted} ${TENANT} GROUP BY 1 HAVING sum(events) > 0
       ORDER BY 2 DESC, 1 ${limit === undefined ? '' : `LIMIT ${parameters.bind(limit)}`}`,
      parameters.values,
      db,
    );
  }

  /** Buckets with events, in the order of time; the first and the last are clipped by the window. */
  over(scope: Scope, interval: Interval, window: TimeWindow, db?: Db): Promise<Bucket[]> {
    return this.bucketsOf<Bucket>(SUMS, scope, interval, window, db);
  }

  /** As {@link over}, without errors: of the rows at the window's ends no more than an index is read then. */
  eventsOver(scope: Scope, interval: Interval, window: TimeWindow): Promise<Omit<Bucket, 'errors'>[]> {
    return this.bucketsOf<Omit<Bucket, 'errors'>>(EVENTS, scope, interval, window);
  }

  private bucketsOf<Row extends Omit<Bucket, 'errors'>>(
    sums: string,
    scope: Scope,
    interval: Interval,
    window: TimeWindow,
    db?: Db,
  ): Promise<Row[]> {
    const parameters = new Parameters();
    const now = this.clock.now();
    const coverage: Coverage =
      interval === 'minute' ? { hours: null, edges: [{ ...window, sign: 1 }] } : coverageOf(window, now);
    const counted = countedRows(
      { projectId: scope.projectId, coverage, now, filter: {}, dimensions: [], bucket: interval },
      parameters,
    );
    return this.database.rows<Row>(
      `SELECT bucket AS at, ${sums} FROM ${counted} ${TENANT} GROUP BY 1 HAVING sum(events) > 0 ORDER BY 1`,
      parameters.values,
      db,
    );
  }

  /** {@link values} of every dimension, `limit` of each at most. */
  facets(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    limit: number,
    db?: Db,
  ): Promise<Record<Dimension, FacetValue[]>> {
    const most = { event: limit, source_id: limit, severity: limit, status: limit, environment: limit };
    return this.values(scope, window, filter, most, db);
  }

  /**
   * The values of the named dimensions with their events, each counted under the filter on the other dimensions; most
   * events first. Each dimension has the number of values it gives at most, or null.
   */
  async values<D extends Dimension>(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    most: Readonly<Record<D, number | null>>,
    db?: Db,
  ): Promise<Record<D, FacetValue[]>> {
    const wanted = DIMENSIONS.filter((name): name is D => name in most);
    const needed = DIMENSIONS.filter((name) => name in most || filter[name] !== undefined);
    const parameters = new Parameters();
    const counted = countedRows({ ...this.of(scope, window), filter: {}, dimensions: needed }, parameters);
    const ofOne = (name: D): string =>
      `(SELECT '${name}' AS name, ${name}::text AS value, sum(events)::float8 AS events FROM combinations
        WHERE true${conditionsOf(filter, parameters, name)} GROUP BY ${name} ORDER BY 3 DESC, 2
        LIMIT ${parameters.bind(most[name])}::bigint)`;
    const rows = await this.database.rows<FacetValue & { name: D }>(
      `WITH combinations AS MATERIALIZED (
         SELECT ${needed.join(', ')}, sum(events) AS events FROM ${counted} ${TENANT}
         GROUP BY ${needed.join(', ')} HAVING sum(events) > 0)
       ${wanted.map(ofOne).join('\nUNION ALL\n')}`,
      parameters.values,
      db,
    );
    const of = (dimension: D): FacetValue[] =>
      rows
        .filter(({ name }) => name === dimension)
        .map(({ value, events }) => ({ value, events }))
        .sort((a, b) => b.events - a.events);
    return Object.fromEntries(wanted.map((name) => [name, of(name)])) as Record<D, FacetValue[]>;
  }

  /**
   * The total, and the hours that hold the matching events number `offset` + 1 to `offset` + `limit`, newest first. With
   * them a page reads the hours it shows and no others, however deep it lies and however rare the values are.
   */
  async matchingHours(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    { offset, limit }: { offset: number; limit: number },
    db?: Db,
  ): Promise<{ total: number; hours: MatchingHour[] }> {
    const parameters = new Parameters();
    const counted = countedRows({ ...this.of(scope, window), filter, dimensions: [], bucket: 'hour' }, parameters);
    const [from, upTo] = [parameters.bind(offset), parameters.bind(offset + limit)];
    const rows = await this.database.rows<{ total: number } & { [K in keyof MatchingHour]: MatchingHour[K] | null }>(
      `WITH hours AS (SELECT bucket AS hour, sum(events) AS events FROM ${counted} ${TENANT}
                      GROUP BY 1 HAVING sum(events) > 0),
            numbered AS (SELECT hour, events, sum(events) OVER (ORDER BY hour DESC) - events AS newer FROM hours)
       SELECT t.total::float8 AS total, n.hour, n.events::float8 AS events, n.newer::float8 AS newer
       FROM (SELECT coalesce(sum(events), 0) AS total FROM hours) t
       LEFT JOIN numbered n ON n.newer + n.events > ${from}::bigint AND n.newer < ${upTo}::bigint
       ORDER BY n.hour DESC`,
      parameters.values,
      db,
    );
    return {
      total: rows[0]?.total ?? 0,
      hours: rows.flatMap(({ hour, events, newer }) =>
        hour === null || events === null || newer === null ? [] : [{ hour, events, newer }],
      ),
    };
  }

  private of(scope: Scope, window: TimeWindow): Pick<Count, 'projectId' | 'coverage' | 'now'> {
    const now = this.clock.now();
    return { projectId: scope.projectId, coverage: coverageOf(window, now), now };
  }
}

/** For lint, which cannot look into what is counted. */
const TENANT = '/* tenant: countedRows compares the project in each of its parts */';
const EVENTS = 'coalesce(sum(events), 0)::float8 AS events';
const SUMS = `${EVENTS}, coalesce(sum(errors), 0)::float8 AS errors`;

/**
 * The counted hours and the rows of the edges as one relation of partial counts, which the caller sums up: events and
 * errors, negative where an hour reaches beyond the window. One statement reads both, and so one snapshot. A column that the
 * caller leaves out is not read either.
 */
function countedRows(count: Count, parameters: Parameters): string {
  const { projectId, coverage, filter, dimensions, bucket, named = false } = count;
  const project = parameters.bind(projectId);
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
       WHERE project_id = ${project} AND ${inWindow(time, window, parameters)}${conditions()}`,
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
    const keys = columns('"timestamp"');
    const groups = keys.map((_, index) => index + 1).join(', ');
    parts.push(
      `SELECT ${[...keys, `${edge.sign} * count(*)`, `${edge.sign} * count(*) FILTER (WHERE log_status >= 500)`].join(', ')}
       FROM events WHERE project_id = ${project} AND ${inWindow('"timestamp"', edge, parameters)}${conditions()}
       ${groups === '' ? '' : `GROUP BY ${groups}`}`,
    );
  }
  const names = [...dimensions, ...(bucket === undefined ? [] : ['bucket'])];
  return `(${parts.join('\nUNION ALL\n')}) AS counted (${[...names, 'events', 'errors'].join(', ')})`;
}
