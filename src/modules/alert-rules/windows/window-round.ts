import { Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { RuleMetrics } from '../engine/rule-metrics.js';
import { LiveRules, RULE_COLUMNS, type RuleRow } from '../rules/live-rules.js';
import { WindowEvaluation } from './window-evaluation.js';
import { evaluationSeconds } from './window-values.js';

/** One evaluation may read events for so long. */
const STATEMENT_TIMEOUT = '10s';
/** One round does no more than this; the next one goes on. */
const MOST_RULES = 500;

interface Due extends RuleRow {
  now: Date;
  archived: boolean;
}

/**
 * Evaluates rules on windows when they are due. A rule is claimed by its row for the length of one transaction, which also
 * fires its alerts and says when it is due again: several workers never evaluate a rule twice, and one that dies leaves
 * no trace. The time is the database's.
 */
@Injectable()
export class WindowRound {
  private readonly logger = new Logger('alert-rules');

  constructor(
    private readonly database: Database,
    private readonly rules: LiveRules,
    private readonly evaluation: WindowEvaluation,
    private readonly metrics: RuleMetrics,
  ) {}

  /** @returns how many rules were evaluated */
  async run(): Promise<number> {
    let evaluated = 0;
    while (evaluated < MOST_RULES && (await this.next())) evaluated += 1;
    return evaluated;
  }

  private async next(): Promise<boolean> {
    let claimed: string | undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const due = await this.claim(tx);
        if (due === undefined) return false;
        claimed = due.id;
        await this.database.execute(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`, [], tx);
        await this.evaluate(due, tx);
        this.metrics.evaluated('done');
        return true;
      });
    } catch (error) {
      if (claimed === undefined) throw error;
      this.logger.warn(`evaluating rule ${claimed} failed: ${String(error)}`);
      this.metrics.evaluated('failed');
      await this.postpone(claimed, error);
      return true;
    }
  }

  private async claim(tx: Db): Promise<Due | undefined> {
    const rows = await this.database.rows<Due>(
      `SELECT ${RULE_COLUMNS}, clock_timestamp() AS now, p.archived_at IS NOT NULL AS archived
       FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.next_evaluation_at <= clock_timestamp()
       ORDER BY r.next_evaluation_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`,
      [],
      tx,
    );
    return rows[0];
  }

  private async evaluate(due: Due, tx: Db): Promise<void> {
    const [rule] = await this.rules.read([due], tx);
    if (rule === undefined || !('window_seconds' in rule.condition)) throw new Error('The rule cannot be read');
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $2), last_evaluated_at = $3,
         last_error = NULL, watched_since = CASE WHEN $4 THEN $3 ELSE watched_since END
       WHERE id = $1`,
      [rule.id, evaluationSeconds(rule.condition.window_seconds), due.now, due.archived],
      tx,
    );
    // An archived project takes no events: what is seen of it says nothing.
    if (!due.archived) await this.evaluation.evaluate(rule, due.now.getTime(), tx);
  }

  /** So that a rule that cannot be evaluated does not keep the others from their turn. */
  private async postpone(id: string, error: unknown): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + interval '60 seconds', last_error = left($2, 500)
       WHERE id = $1 AND next_evaluation_at IS NOT NULL`,
      [id, String(error)],
    );
  }
}
