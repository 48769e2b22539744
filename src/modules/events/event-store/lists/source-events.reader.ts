import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import type { ClickHouseConditions } from './event-list-query.js';
import { ClickHouseListReader } from './clickhouse-list.reader.js';
import { type EventLocator, LOCATOR_COLUMNS } from './event-locator.js';
import type { Locator } from './cursor.js';

type Scope = Pick<ProjectScope, 'projectId'>;

/** The events of a source in one UTC hour or day. */
export interface SourceVolume {
  /** The start of the hour or day. */
  readonly ts: Date;
  readonly events: number;
  readonly errors: number;
}

/**
 * Reads the events of one Event Source. Volumes come from the hourly counters. Events are read along an index of their
 * own, which contains only events of sources. So a source with one event per hour in a busy project is read as fast as
 * any other, and events without a source add nothing to the index.
 */
@Injectable()
export class SourceEventsReader {
  constructor(
    private readonly database: Database,
    private readonly clickHouse: ClickHouseListReader,
  ) {}

  /**
   * Counts by UTC hour or day of the timestamps, from `from` up to but excluding `to`. Empty hours and days are left
   * out.
   */
  volumes(
    { projectId }: Scope,
    sourceId: string,
    { from, to, interval }: { readonly from: Date; readonly to: Date; readonly interval: 'hour' | 'day' },
  ): Promise<SourceVolume[]> {
    return this.database.rows(
      `SELECT date_trunc($5, hour, 'UTC') AS ts, sum(events)::float8 AS events, sum(errors)::float8 AS errors
       FROM event_facet_hours WHERE project_id = $1 AND source_id = $2 AND hour >= $3 AND hour < $4
       GROUP BY 1 ORDER BY 1`,
      [projectId, sourceId, from, to, interval],
    );
  }

  /**
   * Returns the newest events, in descending order of time and id. With a locator, only events before it are returned.
   */
  newest(scope: Scope, sourceId: string, before: Locator | null, limit: number): Promise<EventLocator[]> {
    const conditions: ClickHouseConditions = {
      postgres: ({ bind }) => ` AND source_id = ${bind(sourceId)}`,
      clickHouse: (bind) => ` AND e.source_id = ${bind(sourceId, 'UUID')}`,
    };
    const kept = (): Promise<EventLocator[]> => this.newestKept(scope, sourceId, before, limit);
    return this.clickHouse.read(scope, { before, limit, conditions }, kept);
  }

  private newestKept(
    { projectId }: Scope,
    sourceId: string,
    before: Locator | null,
    limit: number,
  ): Promise<EventLocator[]> {
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events
       WHERE project_id = $1 AND source_id = $2
         ${before === null ? '' : 'AND "timestamp" <= $4 AND ("timestamp", id) < ($4, $5)'}
       ORDER BY "timestamp" DESC, id DESC LIMIT $3`,
      [projectId, sourceId, limit, ...(before === null ? [] : [before.timestamp, before.id])],
    );
  }
}
