import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { RuleMetrics } from './rule-metrics.js';

/** Stores why a rule fails, until it succeeds or is changed. */
@Injectable()
export class RuleFailuresRepository {
  constructor(
    private readonly database: Database,
    private readonly metrics: RuleMetrics,
  ) {}

  /**
   * Stores why a rule cannot be evaluated. The row is written when the reason changes, and otherwise once a minute.
   * @param reason a sentence for the members of the project, see `reasonOf`; the first 500 characters are stored
   */
  async record(projectId: ProjectId, ruleId: string, reason: string, db?: Db): Promise<void> {
    this.metrics.failed();
    await this.database.execute(
      `UPDATE alert_rules SET last_error = left($3, 500), last_error_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2
         AND (last_error IS DISTINCT FROM left($3, 500)
              OR last_error_at < clock_timestamp() - interval '1 minute')`,
      [projectId, ruleId, reason],
      db,
    );
  }

  /** Clears the failures of rules that were evaluated successfully. */
  async clear(projectId: ProjectId, ruleIds: readonly string[], db?: Db): Promise<void> {
    if (ruleIds.length === 0) return;
    await this.database.execute(
      `UPDATE alert_rules SET last_error = NULL, last_error_at = NULL
       WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND last_error IS NOT NULL`,
      [projectId, ruleIds],
      db,
    );
  }
}
