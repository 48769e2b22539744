import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { CLICKHOUSE_SIZES, ClickHouseListReader } from './clickhouse-list.reader.js';
import type { Locator } from './cursor.js';
import { type EventLocator, LOCATOR_COLUMNS } from './event-locator.js';
import type { StoredEvent } from '../../fields/index.js';

/** An event is found at once when its timestamp differs by at most this many milliseconds from the time in its id. */
const USUAL_DISTANCE_MS = 2_000;

type Scope = Pick<ProjectScope, 'projectId'>;

/** An event that was found by its id, with its locator. */
export type FoundEvent = EventLocator & Pick<StoredEvent, 'event' | 'source' | 'source_id'>;

type ClickHouseEvent = Omit<FoundEvent, 'timestamp'> & { readonly ms: number };
const CLICKHOUSE_EVENT = `toUnixTimestamp64Milli(e.timestamp) AS ms, toString(e.id) AS id, e.event AS event, e.source AS source,
  e.source_id AS source_id, ${CLICKHOUSE_SIZES}`;

/** Reads locators of a project's events along the primary key. */
@Injectable()
export class EventListReader {
  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseListReader,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /**
   * Returns the newest events, in descending order of time and id. With a locator, only events before it are returned.
   */
  async newest(scope: Scope, before: Locator | null, limit: number): Promise<EventLocator[]> {
    return this.clickHouse.read(scope, { before, limit }, () => this.newestKept(scope, before, limit));
  }

  private newestKept({ projectId }: Scope, before: Locator | null, limit: number): Promise<EventLocator[]> {
    // The condition on the timestamp alone lets PostgreSQL skip partitions.
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = $1 ${before === null ? '' : 'AND "timestamp" <= $3 AND ("timestamp", id) < ($3, $4)'}
       ORDER BY "timestamp" DESC, id DESC LIMIT $2`,
      before === null ? [projectId, limit] : [projectId, limit, before.timestamp, before.id],
    );
  }

  /**
   * Returns the oldest events before an instant, in ascending order. With a locator, only events after it are returned.
   */
  after(scope: Scope, locator: Locator | null, until: Date, limit: number): Promise<EventLocator[]> {
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = $1 AND "timestamp" < $2
         ${locator === null ? '' : 'AND "timestamp" >= $4 AND ("timestamp", id) > ($4, $5)'}
       ORDER BY "timestamp", id LIMIT $3`,
      [scope.projectId, until, limit, ...(locator === null ? [] : [locator.timestamp, locator.id])],
    );
  }

  /** Returns the locator after which `count` events follow before an instant. Null when there are fewer events. */
  async cursorBefore(scope: Scope, until: Date, count: number): Promise<Locator | null> {
    const [locator] = await this.database.rows<Locator>(
      `SELECT "timestamp", id FROM events WHERE project_id = $1 AND "timestamp" < $2
       ORDER BY "timestamp" DESC, id DESC LIMIT 1 OFFSET $3`,
      [scope.projectId, until, count],
    );
    return locator ?? null;
  }

  /**
   * Finds an event by its id. An id contains its time of creation, which mostly is the timestamp of the event. Other
   * events are found by an index on the ids.
   * @returns null when the project has no such event
   * @throws ArchiveUnavailable
   */
  async find(scope: Scope, id: string, db?: Db): Promise<FoundEvent | null> {
    const select = `SELECT event, source, source_id, ${LOCATOR_COLUMNS} FROM events WHERE project_id = $1 AND id = $2`;
    const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    const [from, to] = [new Date(madeAt - USUAL_DISTANCE_MS), new Date(madeAt + USUAL_DISTANCE_MS)];
    const [near] = await this.database.rows<FoundEvent>(
      `${select} AND "timestamp" BETWEEN $3 AND $4`,
      [scope.projectId, id, from, to],
      db,
    );
    if (near !== undefined) return near;
    const [far] = await this.database.rows<FoundEvent>(select, [scope.projectId, id], db);
    if (far !== undefined) return far;
    return (await this.archived.isArchived()) ? this.findArchived(scope, id, { from, to }) : null;
  }

  /** Finds an event that only ClickHouse has. @throws ArchiveUnavailable */
  private async findArchived(scope: Scope, id: string, near: TimeWindow): Promise<FoundEvent | null> {
    const found =
      (await this.archived.find<ClickHouseEvent>(scope, id, CLICKHOUSE_EVENT, near)) ??
      (await this.archived.find<ClickHouseEvent>(scope, id, CLICKHOUSE_EVENT, null));
    if (found === null) return null;
    const { ms, ...event } = found;
    return { ...event, timestamp: new Date(ms) };
  }
}
