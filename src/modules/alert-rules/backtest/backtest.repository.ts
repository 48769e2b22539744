import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { filterSql } from '../../alert-conditions/index.js';
import { Parameters, type TimeWindow } from '../../event-totals/index.js';
import { EVENT_COLUMNS, type EventRow } from '../matching/event-row.js';
import type { LiveRule } from '../rules/live-rules.js';

/** A statement that took longer than it may. */
const QUERY_CANCELED = '57014';

@Injectable()
export class BacktestRepository {
  constructor(private readonly database: Database) {}

  /** The first events that fit, in the order of their timestamps, which stand for the times of acceptance. */
  async fitting({ projectId, filter }: LiveRule, { from, to }: TimeWindow, limit: number, db: Db): Promise<EventRow[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    return this.database.rows<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events e
       WHERE e.project_id = ${bind(projectId)} AND e."timestamp" >= ${bind(from)} AND e."timestamp" < ${bind(to)}
         AND ${filterSql(filter, bind)}
       ORDER BY e."timestamp", e.id LIMIT ${bind(limit)}`,
      parameters.values,
      db,
    );
  }

  /**
   * Works with at most so much time for its next statement.
   * @returns null when the time was over first
   */
  async within<T>(milliseconds: number, work: () => Promise<T>, db: Db): Promise<T | null> {
    const left = Math.ceil(milliseconds);
    if (left <= 0) return null;
    await this.database.execute(`SET LOCAL statement_timeout = ${left}`, [], db);
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code === QUERY_CANCELED) return null;
      throw error;
    }
  }
}
