import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { RULE_COLUMNS, type RuleRow } from '../live-rules.repository.js';

/** A rule on windows whose row is locked. */
export interface DueRule extends RuleRow {
  /** The time of the database clock. */
  now: Date;
  archived: boolean;
}

type RuleKey = Pick<RuleRow, 'id'> & { readonly projectId: ProjectId };

/** Schedules evaluations of rules on windows. Times are those of the database clock. */
@Injectable()
export class DueRulesRepository {
  constructor(private readonly database: Database) {}

  async count(): Promise<number> {
    const [row] = await this.database.rows<{ due: number }>(
      `SELECT count(*)::int AS due FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE /* every tenant: counted */ r.next_evaluation_at <= clock_timestamp()`,
    );
    return row?.due ?? 0;
  }

  /** Returns the projects with due rules, the longest waiting first. */
  async projects(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      `SELECT r.project_id AS id FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE /* every tenant: those in turn */ r.next_evaluation_at <= clock_timestamp()
       GROUP BY 1 ORDER BY min(r.next_evaluation_at)`,
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the longest waiting rule of the project that no other worker holds, and locks it until `tx` ends. */
  async claim(projectId: ProjectId, tx: Db): Promise<DueRule | null> {
    const [rule] = await this.database.rows<DueRule>(
      `SELECT ${RULE_COLUMNS}, clock_timestamp() AS now, p.archived_at IS NOT NULL AS archived
       FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.project_id = $1 AND r.next_evaluation_at <= clock_timestamp()
       ORDER BY r.next_evaluation_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`,
      [projectId],
      tx,
    );
    return rule ?? null;
  }

  /** Sets the timeout of the next statements of the transaction. */
  async boundStatements(timeout: `${number}s`, tx: Db): Promise<void> {
    await this.database.execute(`SET LOCAL statement_timeout = '${timeout}'`, [], tx);
  }

  /**
   * Records that the rule is evaluated now, clears its failure and schedules the next evaluation. A rule of an archived
   * project ignores all events from before now.
   */
  async begin({ id, project_id: projectId, now, archived }: DueRule, nextInSeconds: number, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $3), last_evaluated_at = $4,
         last_error = NULL, last_error_at = NULL, watched_since = CASE WHEN $5 THEN $4 ELSE watched_since END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, nextInSeconds, now, archived],
      tx,
    );
  }

  async delay({ projectId, id }: RuleKey, seconds: number, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $3)
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, seconds],
      tx,
    );
  }

  /**
   * Delays a failing rule: by a minute at first, and then by as long as the rule has been failing, but not by more than
   * `longestSeconds`. So the wait doubles, whichever worker fails. A change of the rule resets the wait.
   */
  async postpone({ projectId, id }: RuleKey, longestSeconds: number): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() +
         CASE WHEN last_error IS NULL THEN interval '60 seconds'
         ELSE least(greatest(clock_timestamp() - greatest(last_evaluated_at, watched_since, updated_at),
                             interval '60 seconds'), make_interval(secs => $3)) END
       WHERE project_id = $1 AND id = $2 AND next_evaluation_at IS NOT NULL`,
      [projectId, id, longestSeconds],
    );
  }
}
