import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { isCanceled } from '../../../../platform/database/database-faults.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import {
  type FilterGroup,
  filterSql,
  type FilterSubject,
  type SubjectRow,
  subjectSql,
} from '../../conditions/index.js';
import { type EventLocator, LOCATOR_COLUMNS } from '../lists/event-locator.js';
import { StagedEventsWriter } from '../reading/staged-events.writer.js';
import type { Locator } from '../lists/cursor.js';
import type { TimeWindow } from '../totals/coverage.js';

/** An event with the fields that its rule reads. */
export interface PastEvent {
  readonly locator: EventLocator;
  readonly subject: FilterSubject;
}

/** Reads the events that a rule would have processed, in the order of their timestamps. */
@Injectable()
export class PastEventsReader {
  constructor(
    private readonly database: Database,
    private readonly staged: StagedEventsWriter,
  ) {}

  /**
   * Runs work in a snapshot, like `Database.snapshot`. Events of the window must be staged by `stage` before they are
   * read.
   */
  snapshot<T>(window: Pick<TimeWindow, 'from'>, work: (tx: Db) => Promise<T>): Promise<T> {
    return this.staged.snapshot(window, work);
  }

  /**
   * Stages the events of a window for a rule of single events, so that a {@link snapshot} can read them from either
   * store. Must run before any other read of that snapshot.
   * @param enough the caller needs only this many of the oldest matching events
   * @returns null when all events are staged; otherwise the instant before which all are staged
   * @throws ArchiveUnavailable
   */
  stage(
    { projectId, filter }: { readonly projectId: ProjectId; readonly filter: FilterGroup },
    window: TimeWindow,
    { enough, milliseconds }: { readonly enough: number; readonly milliseconds: number },
    tx: Db,
  ): Promise<Date | null> {
    return this.staged.stage(projectId, { windows: [window], filter, fields: null, enough, milliseconds }, tx);
  }

  /**
   * Returns the locators of the next matching events, ordered by timestamp. Timestamps are used in place of the unknown
   * times of acceptance.
   */
  locators(
    { projectId, filter }: { readonly projectId: ProjectId; readonly filter: FilterGroup },
    { from, to }: TimeWindow,
    after: Locator | null,
    limit: number,
    db: Db,
  ): Promise<EventLocator[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    // The condition on the timestamp alone lets PostgreSQL skip partitions.
    const behind =
      after === null
        ? ''
        : `AND e."timestamp" >= ${bind(after.timestamp)} AND (e."timestamp", e.id) > (${bind(after.timestamp)}, ${bind(after.id)})`;
    return this.database.rows<EventLocator>(
      `SELECT ${LOCATOR_COLUMNS} FROM events e
       WHERE e.project_id = ${bind(projectId)} AND e."timestamp" >= ${bind(from)} AND e."timestamp" < ${bind(to)} ${behind}
         AND ${filterSql(filter, bind)}
       ORDER BY e."timestamp", e.id LIMIT ${bind(limit)}`,
      parameters.values,
      db,
    );
  }

  /**
   * Reads the given fields of events. Of the properties, only those that a field equals or begins with are read, each
   * once.
   */
  async read(
    projectId: string,
    locators: readonly EventLocator[],
    fields: readonly string[],
    db: Db,
  ): Promise<PastEvent[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    const { columns, read } = subjectSql(fields, bind);
    const rows = await this.database.rows<SubjectRow & { readonly at: number }>(
      `SELECT p.at::int, ${columns}
       FROM unnest(${bind(locators.map(({ timestamp }) => timestamp))}::timestamptz[],
                   ${bind(locators.map(({ id }) => id))}::uuid[]) WITH ORDINALITY AS p ("timestamp", id, at)
       CROSS JOIN LATERAL (
         SELECT * FROM events e
         WHERE e.project_id = ${bind(projectId)}::uuid AND e."timestamp" = p."timestamp" AND e.id = p.id OFFSET 0) e
       ORDER BY p.at`,
      parameters.values,
      db,
    );
    return rows.flatMap((row) => {
      const locator = locators[row.at - 1];
      return locator === undefined ? [] : [{ locator, subject: read(row) }];
    });
  }

  /**
   * Runs work whose next statement may take this many milliseconds.
   * @returns null when the time was exceeded
   */
  async within<T>(milliseconds: number, work: () => Promise<T>, db: Db): Promise<T | null> {
    const left = Math.ceil(milliseconds);
    if (left <= 0) return null;
    await this.database.execute(`SET LOCAL statement_timeout = ${left}`, [], db);
    try {
      return await work();
    } catch (error) {
      if (isCanceled(error)) return null;
      throw error;
    }
  }
}
