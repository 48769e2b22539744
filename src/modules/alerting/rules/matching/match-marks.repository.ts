import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { OPEN_WRITES, openWriteKeySql, openWritesSql } from '../../../../platform/database/open-writes.js';

/** The record that a worker commits before it evaluates rules for events. */
export interface MatchMark {
  /** The id that the worker process has given itself. */
  readonly worker: string;
  /** True until the evaluation has ended, whether it succeeded or failed. */
  readonly isEvaluating: boolean;
  /** The position of the last row of the batch. */
  readonly untilPosition: string;
  /** The only event of the batch; null when the batch has more. */
  readonly eventId: string | null;
  /**
   * Rows up to this position are taken event by event, because one of them ended a worker. Null when no row is suspect.
   */
  readonly suspectsUntil: string | null;
}

/** The state of a project before its next batch. */
interface MatchState {
  /** Firings wait to be raised. */
  readonly isToRaise: boolean;
  /** Some series are due to come to rest. */
  readonly isToSettle: boolean;
  /**
   * When the oldest open transaction that writes events of the project began; null when there is none. Such a
   * transaction may still add rows that precede the visible ones. Matching waits at most ten seconds for it, and takes
   * its rows later.
   */
  readonly writtenSince: Date | null;
  readonly mark: MatchMark | null;
}

/** Marks must survive a crash of their worker, but not of the database server. So no write waits for the disk. */
const UNHURRIED = `set_config('synchronous_commit', 'off', true)`;

const STATE = `
  SELECT EXISTS (SELECT FROM alert_rule_firings f WHERE f.project_id = $1) AS "isToRaise",
         EXISTS (SELECT FROM alert_rules r JOIN alert_rule_series s ON s.rule_id = r.id
           WHERE r.project_id = $1 AND r.kind = 'match' AND s.due_at <= clock_timestamp()) AS "isToSettle",
         (SELECT since FROM (${openWritesSql(OPEN_WRITES.eventOutbox)}) w WHERE w.key = ${openWriteKeySql('$1::uuid')})
           AS "writtenSince",
         m.worker, m.is_evaluating AS "isEvaluating", m.until_position::text AS "untilPosition",
         m.event_id AS "eventId", m.suspects_until::text AS "suspectsUntil"
  FROM (SELECT) one LEFT JOIN event_match_marks m ON m.project_id = $1`;

/**
 * Stores the marks of matching. Each statement commits by itself, so a mark is committed before the marked work begins.
 * Callers hold the lock of the project.
 */
@Injectable()
export class MatchMarksRepository {
  constructor(private readonly database: Database) {}

  async stateOf(projectId: string, db: Db): Promise<MatchState> {
    const [row] = await this.database.rows<
      Pick<MatchState, 'isToRaise' | 'isToSettle' | 'writtenSince'> & { [K in keyof MatchMark]: MatchMark[K] | null }
    >(STATE, [projectId], db);
    if (row === undefined) throw new Error('A left join gives a row');
    const { isToRaise, isToSettle, writtenSince, ...marked } = row;
    const { worker, isEvaluating, untilPosition, eventId, suspectsUntil } = marked;
    const isMarked = worker !== null && isEvaluating !== null && untilPosition !== null;
    const mark = isMarked ? { worker, isEvaluating, untilPosition, eventId, suspectsUntil } : null;
    return { isToRaise, isToSettle, writtenSince, mark };
  }

  /** Writes the mark before rules are evaluated. */
  async begin(
    projectId: string,
    { worker, untilPosition, eventId }: Pick<MatchMark, 'worker' | 'untilPosition' | 'eventId'>,
    db: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO event_match_marks AS m (project_id, worker, is_evaluating, until_position, event_id)
       SELECT $1, $2, true, $3, $4 FROM (SELECT ${UNHURRIED}) once
       ON CONFLICT ON CONSTRAINT pk_event_match_marks DO UPDATE
       SET worker = excluded.worker, is_evaluating = true, until_position = excluded.until_position,
           event_id = excluded.event_id,
           suspects_until = CASE WHEN m.suspects_until >= excluded.until_position THEN m.suspects_until END`,
      [projectId, worker, untilPosition, eventId],
      db,
    );
  }

  /** Ends the mark after rules were evaluated. */
  async end(projectId: string, worker: string, db?: Db): Promise<void> {
    await this.database.execute(
      `UPDATE event_match_marks SET is_evaluating = false FROM (SELECT ${UNHURRIED}) once
       WHERE project_id = $1 AND worker = $2`,
      [projectId, worker],
      db,
    );
  }

  /** Marks rows up to this position as suspects, so that they are taken event by event from now on. */
  async suspect(projectId: string, worker: string, untilPosition: string, db: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO event_match_marks AS m (project_id, worker, is_evaluating, until_position, suspects_until)
       VALUES ($1, $2, false, $3, $3)
       ON CONFLICT ON CONSTRAINT pk_event_match_marks DO UPDATE
       SET is_evaluating = false, suspects_until = greatest(m.suspects_until, excluded.suspects_until)`,
      [projectId, worker, untilPosition],
      db,
    );
  }
}
