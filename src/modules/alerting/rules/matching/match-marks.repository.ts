import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { OPEN_WRITES, openWriteKeySql, openWritesSql } from '../../../../platform/database/open-writes.js';

/** What a worker has written down before it asks rules about events. */
export interface MatchMark {
  /** The process, as it calls itself. */
  readonly worker: string;
  /** It has not come to the end of asking, whatever the answers were. */
  readonly isEvaluating: boolean;
  /** The last row of the batch. */
  readonly untilPosition: string;
  /** The one event of the batch; null: there were more. */
  readonly eventId: string | null;
  /** Rows up to this one are taken event by event, since one of them ended a worker; null: none is. */
  readonly suspectsUntil: string | null;
}

/** How a project stands before its next batch. */
interface MatchState {
  /** Firings wait to be raised. */
  readonly isToRaise: boolean;
  /** The time of some series is up. */
  readonly isToSettle: boolean;
  /**
   * Since when the project's events are being written by transactions that may still bring rows before those to be seen;
   * null: none does. One that goes on for long is waited for no longer than ten seconds; what it brings is taken later.
   */
  readonly writtenSince: Date | null;
  readonly mark: MatchMark | null;
}

/** Marks outlive the process that made them, not necessarily the database's: no write waits for its disk. */
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

/** Each act is a statement by itself, committed before what it marks begins; whoever calls holds the project. */
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

  /** Before the rules are asked. */
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

  /** After they were asked. */
  async end(projectId: string, worker: string, db?: Db): Promise<void> {
    await this.database.execute(
      `UPDATE event_match_marks SET is_evaluating = false FROM (SELECT ${UNHURRIED}) once
       WHERE project_id = $1 AND worker = $2`,
      [projectId, worker],
      db,
    );
  }

  /** From now on rows up to this one are taken event by event. */
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
