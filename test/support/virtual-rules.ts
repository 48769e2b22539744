import type { ProjectId } from '../../src/modules/access/index.js';
import { LiveRulesRepository } from '../../src/modules/alerting/rules/live-rules.repository.js';
import { WindowEvaluator } from '../../src/modules/alerting/rules/windows/window-evaluator.js';
import { Database } from '../../src/platform/database/database.js';
import type { TestApp } from './app.js';

/** A clock that the test moves. The window rules of one project are evaluated at its time. */
export class VirtualRules {
  now: number;

  constructor(
    private readonly app: TestApp,
    readonly projectId: ProjectId,
    start: Date,
  ) {
    this.now = start.getTime();
  }

  at(seconds: number): Date {
    return new Date(this.now + seconds * 1_000);
  }

  advance(seconds: number): void {
    this.now += seconds * 1_000;
  }

  /** Makes the rules of the project begin at the current time of this clock. */
  async begin(): Promise<void> {
    await this.app.rows('UPDATE alert_rules SET watched_since = $2, last_evaluated_at = NULL WHERE project_id = $1', [
      this.projectId,
      new Date(this.now),
    ]);
  }

  /** Evaluates a window rule once, as a worker does when the rule is due. */
  async evaluate(ruleId: string): Promise<void> {
    const [rules, evaluation] = [
      this.app.nest.get(LiveRulesRepository, { strict: false }),
      this.app.nest.get(WindowEvaluator, { strict: false }),
    ];
    await this.app.nest.get(Database).transaction(async (tx) => {
      const rule = await rules.find(this, ruleId, tx);
      if (rule === null) throw new Error('no such rule');
      await evaluation.evaluate(rule, this.now, tx);
    });
    await this.app.rows('UPDATE alert_rules SET last_evaluated_at = $2 WHERE id = $1', [ruleId, new Date(this.now)]);
  }
}

/** Moves all stored times of rules and alert events back, as if time had passed. */
export async function age(app: TestApp, seconds: number): Promise<void> {
  const REMEMBERED = {
    alert_rules: ['watched_since', 'last_evaluated_at', 'next_evaluation_at'],
    alert_rule_series: ['since', 'breached_at', 'due_at'],
    alert_events: ['created_at', 'notified_at', 'notice_due_at', 'snoozed_until'],
    alert_heartbeats: ['up_since'],
  };
  for (const [table, columns] of Object.entries(REMEMBERED)) {
    const changes = columns.map((column) => `${column} = ${column} - make_interval(secs => $1)`);
    await app.rows(`UPDATE ${table} SET ${changes.join(', ')}`, [seconds]);
  }
}
