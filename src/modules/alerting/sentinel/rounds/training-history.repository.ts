import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** The progress of a training, in which the baseline of a project is learned. Times are the beginnings of buckets. */
export interface Training {
  readonly projectId: ProjectId;
  /** The baseline is learned from the history between `since` and `until`. */
  readonly until: Date;
  readonly since: Date;
  /** The history has been read from this time on. */
  readonly readFrom: Date;
  /** The event types and Event Sources whose series are learned in addition to that of the whole project. */
  readonly events: readonly string[];
  readonly sources: readonly string[];
  /** How many series have been learned, and how many of them have too little history. */
  readonly learned: number;
  readonly learning: number;
  /** How many events the whole history has, and when the oldest one occurred. */
  readonly counted: number;
  readonly oldestEventAt: Date | null;
  /** The most distinct values in any hour read so far; null when no hour was read. */
  readonly mostEventTypes: number | null;
  readonly mostEndpoints: number | null;
}

export type NewTraining = Pick<
  Training,
  'projectId' | 'until' | 'since' | 'events' | 'sources' | 'counted' | 'oldestEventAt'
>;

/** After this many failures of a piece, the history that it would have read is left out. */
const MOST_FAILURES = 3;

/** Stores the progress of trainings, and the history that they have read. Callers hold the lock of the project. */
@Injectable()
export class TrainingHistoryRepository {
  constructor(private readonly database: Database) {}

  async find(projectId: ProjectId, tx: Db): Promise<Training | null> {
    const [row] = await this.database.rows<Training>(
      `SELECT project_id AS "projectId", until, since, read_from AS "readFrom", events, sources::text[] AS sources, learned, learning,
              counted::float8 AS counted, oldest_event_at AS "oldestEventAt", most_event_types AS "mostEventTypes",
              most_endpoints AS "mostEndpoints" FROM sentinel_lessons WHERE project_id = $1`,
      [projectId],
      tx,
    );
    return row ?? null;
  }

  async begin(training: NewTraining, tx: Db): Promise<Training> {
    const { projectId, until, since, events, sources, counted, oldestEventAt } = training;
    await this.database.execute(
      `INSERT INTO sentinel_lessons (project_id, until, since, read_from, events, sources, counted, oldest_event_at)
       VALUES ($1, $2, $3, $2, $4, $5, $6, $7)`,
      [projectId, until, since, events, sources, counted, oldestEventAt],
      tx,
    );
    return { ...training, readFrom: until, learned: 0, learning: 0, mostEventTypes: null, mostEndpoints: null };
  }

  async advance(
    { projectId, readFrom, learned, learning, mostEventTypes, mostEndpoints }: Training,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_lessons SET read_from = $2, learned = $3, learning = $4, most_event_types = $5, most_endpoints = $6, failures = 0
       WHERE project_id = $1`,
      [projectId, readFrom, learned, learning, mostEventTypes, mostEndpoints],
      tx,
    );
  }

  async end(projectId: ProjectId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM sentinel_lessons WHERE project_id = $1', [projectId], tx);
  }

  /** Stores the history that was read for a part of the series. */
  async keep(projectId: ProjectId, part: number, from: Date, points: Buffer, tx: Db): Promise<void> {
    await this.database.execute(
      'INSERT INTO sentinel_lesson_points (project_id, part, "from", points) VALUES ($1, $2, $3, $4)',
      [projectId, part, from, points],
      tx,
    );
  }

  kept(projectId: ProjectId, part: number, tx: Db): Promise<{ from: Date; points: Buffer }[]> {
    return this.database.rows(
      'SELECT "from", points FROM sentinel_lesson_points WHERE project_id = $1 AND part = $2 ORDER BY "from"',
      [projectId, part],
      tx,
    );
  }

  /**
   * Records that a piece took too long. After three failures the history begins with what was read before the piece.
   */
  async fail(projectId: ProjectId): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_lessons SET failures = (failures + 1) % ${MOST_FAILURES},
         since = CASE WHEN failures + 1 = ${MOST_FAILURES} THEN read_from ELSE since END WHERE project_id = $1`,
      [projectId],
    );
  }
}
