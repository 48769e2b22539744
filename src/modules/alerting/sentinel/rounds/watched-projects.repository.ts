import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** A project whose row is locked. */
export interface WatchedProject {
  readonly projectId: ProjectId;
  /** The time of the database clock. */
  readonly now: Date;
  /** The beginning of the bucket that is due. */
  readonly due: Date;
  /** The beginning of the first bucket that was evaluated. */
  readonly judgingSince: Date;
  readonly oldestEventAt: Date | null;
  /** The end of the history that the profiles were learned from; null when there are none yet. */
  readonly profiledUntil: Date | null;
  /** How many events the profiles were learned from. */
  readonly profiledEvents: number;
  /** The most distinct values in any hour of the week before the profiles were learned; null when there is no hour. */
  readonly mostEventTypes: number | null;
  readonly mostEndpoints: number | null;
  /** For buckets before this time the profiles are kept, whatever events have arrived since. */
  readonly restsUntil: Date | null;
  /** Whether so much was read for the project today that late events cause no further training. */
  readonly isSpent: boolean;
}

/** The data that the profiles of a project were learned from. */
export interface Profiled {
  readonly until: Date;
  readonly events: number;
  readonly oldestEventAt: Date | null;
  readonly mostEventTypes: number | null;
  readonly mostEndpoints: number | null;
  readonly series: number;
  readonly learning: number;
}

/** The progress of the evaluation of a project. */
export interface Watching {
  /** The end of the last evaluated bucket. */
  readonly judgedUntil: Date | null;
  readonly oldestEventAt: Date | null;
  readonly series: number;
  readonly learning: number;
}

/** A bucket is evaluated this long after its end, when its last events have arrived. */
const SETTLED = `interval '2 minutes'`;
const BUCKET = `interval '5 minutes'`;
/** Buckets that have been due for longer are skipped, because nobody wants to be notified of them. */
const LONGEST_BACKLOG = `interval '1 day'`;
/** The beginning of the newest bucket that is due. */
const NEWEST = `date_bin(${BUCKET}, statement_timestamp() - ${SETTLED}, timestamptz '2000-01-01Z') - ${BUCKET}`;

const TODAY = `(statement_timestamp() AT TIME ZONE 'UTC')::date`;
/**
 * Once the trainings of a project have read this many rows of events in a day, late events cause no further training.
 */
const ROWS_A_DAY = 4_000_000;

/**
 * Stores which projects are watched and how far the evaluation of each project has come. Times are those of the
 * database clock.
 */
@Injectable()
export class WatchedProjectsRepository {
  constructor(private readonly database: Database) {}

  /** Starts to watch projects that have events, from the newest due bucket on, and stops watching archived projects. */
  async follow(): Promise<void> {
    await this.database.execute(
      `DELETE FROM sentinel_projects s USING projects p
       WHERE /* every tenant: each that was archived */ p.id = s.project_id AND p.archived_at IS NOT NULL`,
    );
    await this.database.execute(
      `INSERT INTO sentinel_projects (project_id, judging_since, judged_until, due_at)
       SELECT /* every tenant: each that is new */ p.id, ${NEWEST}, ${NEWEST}, statement_timestamp() FROM projects p
       WHERE p.deleted_at IS NULL AND p.archived_at IS NULL
         AND NOT EXISTS (SELECT FROM sentinel_projects s WHERE s.project_id = p.id)
         AND EXISTS (SELECT FROM event_hours h WHERE h.project_id = p.id)
       ON CONFLICT DO NOTHING`,
    );
  }

  async countDue(): Promise<number> {
    const [row] = await this.database.rows<{ due: number }>(
      `SELECT count(*)::int AS due FROM sentinel_projects WHERE /* every tenant: counted */ due_at <= statement_timestamp()`,
    );
    return row?.due ?? 0;
  }

  /** Returns the longest waiting project that no other worker holds, and locks it until the transaction ends. */
  async claim(tx: Db): Promise<WatchedProject | null> {
    const [row] = await this.database.rows<WatchedProject>(
      `SELECT /* every tenant: whose turn it is */ s.project_id AS "projectId", s.judging_since AS "judgingSince",
              greatest(s.judged_until, date_bin(${BUCKET}, statement_timestamp() - ${LONGEST_BACKLOG}, timestamptz '2000-01-01Z')) AS due,
              statement_timestamp() AS now, s.oldest_event_at AS "oldestEventAt", s.profiled_until AS "profiledUntil",
              s.profiled_events::float8 AS "profiledEvents", s.most_event_types AS "mostEventTypes",
              s.most_endpoints AS "mostEndpoints", s.rests_until AS "restsUntil",
              coalesce(s.rows_read_on = ${TODAY} AND s.rows_read >= ${ROWS_A_DAY}, false) AS "isSpent"
       FROM sentinel_projects s JOIN projects p ON p.id = s.project_id
       WHERE p.deleted_at IS NULL AND p.archived_at IS NULL AND s.due_at <= statement_timestamp()
       ORDER BY s.due_at LIMIT 1 FOR NO KEY UPDATE OF s SKIP LOCKED`,
      [],
      tx,
    );
    return row ?? null;
  }

  /** Records that the due bucket was evaluated. */
  async advance({ projectId, due }: WatchedProject, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_projects SET judged_until = $2::timestamptz + ${BUCKET}, due_at = $2::timestamptz + 2 * ${BUCKET} + ${SETTLED}
       WHERE project_id = $1`,
      [projectId, due],
      tx,
    );
  }

  /** Makes a project due now, after all projects that are due already, so that they are claimed first. */
  async letOthers({ projectId }: WatchedProject, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sentinel_projects SET due_at = clock_timestamp() WHERE project_id = $1',
      [projectId],
      tx,
    );
  }

  /** Keeps the profiles for all buckets before a time, whatever events arrive meanwhile. */
  async rest(projectId: ProjectId, until: Date, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sentinel_projects SET rests_until = $2 WHERE project_id = $1',
      [projectId, until],
      tx,
    );
  }

  /**
   * Adds the rows of events that a training is going to read to the number of rows that were read for the project
   * today.
   */
  async charge(projectId: ProjectId, rows: number, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_projects SET rows_read = CASE WHEN rows_read_on = ${TODAY} THEN rows_read ELSE 0 END + $2, rows_read_on = ${TODAY}
       WHERE project_id = $1`,
      [projectId, rows],
      tx,
    );
  }

  async postpone(projectId: ProjectId, seconds: number): Promise<void> {
    await this.database.execute(
      'UPDATE sentinel_projects SET due_at = statement_timestamp() + make_interval(secs => $2) WHERE project_id = $1',
      [projectId, seconds],
    );
  }

  async profiled(projectId: ProjectId, made: Profiled, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_projects SET profiled_until = $2, profiled_events = $3, oldest_event_at = $4, most_event_types = $5,
         most_endpoints = $6, series = $7, learning = $8 WHERE project_id = $1`,
      [
        projectId,
        made.until,
        made.events,
        made.oldestEventAt,
        made.mostEventTypes,
        made.mostEndpoints,
        made.series,
        made.learning,
      ],
      tx,
    );
  }

  async find(projectId: ProjectId): Promise<Watching | null> {
    const [row] = await this.database.rows<Watching>(
      `SELECT CASE WHEN judged_until > judging_since THEN judged_until END AS "judgedUntil", oldest_event_at AS "oldestEventAt",
              series, learning FROM sentinel_projects WHERE project_id = $1`,
      [projectId],
    );
    return row ?? null;
  }
}
