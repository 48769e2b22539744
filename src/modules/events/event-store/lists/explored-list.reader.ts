import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { conditionsOf, clickHouseConditionsOf, type EventFilter } from '../totals/event-filter.js';
import { EVERY, EventTotalsReader, type MatchingHour, type OffsetPage } from '../totals/totals.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { type ClickHouseConditions, olderThan } from './event-list-query.js';
import { ClickHouseListReader } from './clickhouse-list.reader.js';
import { type EventLocator, LOCATOR_COLUMNS } from './event-locator.js';
import type { Locator } from './cursor.js';

const HOUR_MS = 3_600_000;
/**
 * Up to this many matching hours are read row by row. Beyond them, the counters of each hour say which event types to
 * read.
 */
const MOST_HOURS_TO_SCAN = 2;

type Scope = Pick<ProjectScope, 'projectId'>;

/** Reads locators for the pages of the explorer, newest first and then by id. */
@Injectable()
export class ExploredListReader {
  constructor(
    private readonly database: Database,
    private readonly totals: EventTotalsReader,
    private readonly clickHouse: ClickHouseListReader,
  ) {}

  /**
   * Total and page come from one snapshot. The cost does not grow with the offset, because counted hours are skipped
   * without reading them.
   */
  page(
    scope: Scope,
    window: TimeWindow,
    filter: EventFilter,
    page: OffsetPage,
  ): Promise<{ total: number; locators: EventLocator[] }> {
    return this.database.snapshot(async (tx) => {
      const { total, hours } = await this.totals.matchingHours(scope, window, filter, page, tx);
      const [newest] = hours;
      if (newest === undefined) return { total, locators: [] };
      const inNewest: OffsetPage = { limit: page.limit, offset: page.offset - newest.newer };
      const span = spanOf(hours, window);
      const kept = (): Promise<EventLocator[]> =>
        isScattered(filter, hours)
          ? this.scattered(scope, span, hours, filter, inNewest, tx)
          : this.together(scope, span, filter, inNewest, tx);
      const query = { window: span, conditions: filterInBoth(filter), ...inNewest };
      return { total, locators: await this.clickHouse.read(scope, query, kept, { tx, isNarrow: true }) };
    });
  }

  /** The hours of a window that hold matching events, newest first. */
  async hours(scope: Scope, window: TimeWindow, filter: EventFilter): Promise<MatchingHour[]> {
    return (await this.totals.matchingHours(scope, window, filter, { offset: 0, limit: EVERY })).hours;
  }

  /**
   * Returns the newest matching events of a span, in descending order. With a locator, only events before it are
   * returned.
   */
  async before(
    scope: Scope,
    span: TimeWindow,
    filter: EventFilter,
    locator: Locator | null,
    limit: number,
  ): Promise<EventLocator[]> {
    const query = { window: span, before: locator, conditions: filterInBoth(filter), limit };
    return this.clickHouse.read(scope, query, () => this.beforeKept(scope, span, filter, locator, limit));
  }

  private beforeKept(
    { projectId }: Scope,
    span: TimeWindow,
    filter: EventFilter,
    locator: Locator | null,
    limit: number,
  ): Promise<EventLocator[]> {
    const parameters = new Parameters();
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = ${parameters.bind(projectId)} AND "timestamp" >= ${parameters.bind(span.from)}
         AND "timestamp" < ${parameters.bind(span.to)}${olderThan(locator, parameters)}${conditionsOf(filter, parameters)}
       ORDER BY "timestamp" DESC, id DESC LIMIT ${parameters.bind(limit)}`,
      parameters.values,
    );
  }

  /** Reads along an index that has the order of the page. */
  private together(
    scope: Scope,
    span: TimeWindow,
    filter: EventFilter,
    page: OffsetPage,
    tx: Db,
  ): Promise<EventLocator[]> {
    const parameters = new Parameters();
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = ${parameters.bind(scope.projectId)} AND "timestamp" >= ${parameters.bind(span.from)}
         AND "timestamp" < ${parameters.bind(span.to)}${conditionsOf(filter, parameters)}
       ORDER BY "timestamp" DESC, id DESC LIMIT ${parameters.bind(page.limit)} OFFSET ${parameters.bind(page.offset)}`,
      parameters.values,
      tx,
    );
  }

  /** Reads few events over many hours. In each hour only the rows of event types with a match are read. */
  private scattered(
    scope: Scope,
    span: TimeWindow,
    hours: readonly MatchingHour[],
    filter: EventFilter,
    page: OffsetPage,
    tx: Db,
  ): Promise<EventLocator[]> {
    const parameters = new Parameters();
    const project = parameters.bind(scope.projectId);
    const wanted = conditionsOf(filter, parameters);
    return this.database.rows<EventLocator>(
      `WITH locators AS MATERIALIZED (
         SELECT found."timestamp" AS at, found.id AS which
         FROM (SELECT DISTINCT hour, event AS name FROM event_facet_hours
               WHERE project_id = ${project} AND hour = ANY (${parameters.bind(hours.map(({ hour }) => hour))})${wanted}) kinds
         CROSS JOIN LATERAL (
           SELECT "timestamp", id FROM events
           WHERE project_id = ${project} AND event = kinds.name
             AND "timestamp" >= greatest(kinds.hour, ${parameters.bind(span.from)})
             AND "timestamp" < least(kinds.hour + interval '1 hour', ${parameters.bind(span.to)})${wanted}
           OFFSET 0) found
         ORDER BY 1 DESC, 2 DESC LIMIT ${parameters.bind(page.limit)} OFFSET ${parameters.bind(page.offset)})
       SELECT ${LOCATOR_COLUMNS} FROM locators
       JOIN events ON project_id = ${project} AND "timestamp" = at AND id = which
       ORDER BY "timestamp" DESC, id DESC`,
      parameters.values,
      tx,
    );
  }
}

/** Returns the span from the oldest to the newest of the hours, limited to the window. */
export function spanOf(hours: readonly MatchingHour[], window: TimeWindow): TimeWindow {
  const first = hours.at(-1)?.hour.getTime() ?? window.from.getTime();
  const end = (hours[0]?.hour.getTime() ?? window.from.getTime()) + HOUR_MS;
  return {
    from: new Date(Math.max(window.from.getTime(), first)),
    to: new Date(Math.min(window.to.getTime(), end)),
  };
}

/** Returns a filter as conditions for both stores. */
export function filterInBoth(filter: EventFilter): ClickHouseConditions {
  return {
    postgres: (parameters) => conditionsOf(filter, parameters),
    clickHouse: (bind) => clickHouseConditionsOf(filter, bind),
  };
}

/** A filter on fields other than the event type has no index. */
function isScattered(filter: EventFilter, hours: readonly MatchingHour[]): boolean {
  const hasIndex = Object.keys(filter).every((name) => name === 'event');
  return !hasIndex && hours.length > MOST_HOURS_TO_SCAN;
}
