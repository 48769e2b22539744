import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { domainError } from '../../../platform/http/domain-error.js';
import type { Holds, RuleState } from './machine/rule-machine.js';
import { AlertRule } from './rule.entity.js';

export class AlertRuleNotFound extends domainError(404, 'Alert rule not found') {}

/** The fields of a rule that clients set. */
export type RuleDefinition = Pick<
  AlertRule,
  | 'name'
  | 'isEnabled'
  | 'severity'
  | 'kind'
  | 'condition'
  | 'groupBy'
  | 'forSeconds'
  | 'keepFiringSeconds'
  | 'cooldownSeconds'
  | 'runbookUrl'
  | 'notes'
>;

type Scope = Pick<ProjectScope, 'projectId'>;

/** An enabled rule on windows is due at once. A rule that events or findings trigger is never due. */
const NEXT_EVALUATION = `CASE WHEN $4 AND $6 NOT IN ('match', 'anomaly') THEN clock_timestamp() END`;

@Injectable()
export class AlertRulesRepository {
  constructor(private readonly database: Database) {}

  async insert({ projectId }: Scope, id: string, rule: RuleDefinition, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                                keep_firing_seconds, cooldown_seconds, runbook_url, notes, watched_since,
                                next_evaluation_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, clock_timestamp(), ${NEXT_EVALUATION})`,
      [id, projectId, ...valuesOf(rule)],
      tx,
    );
  }

  /**
   * Updates a rule. `redefined` says that its evaluated definition has changed. `restarted` says that the rule starts
   * over, as if it had just been created.
   */
  async update(
    { projectId }: Scope,
    id: string,
    rule: RuleDefinition,
    { redefined, restarted }: { redefined: boolean; restarted: boolean },
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET name = $3, is_enabled = $4, severity = $5, kind = $6, condition = $7, group_by = $8,
         for_seconds = $9, keep_firing_seconds = $10, cooldown_seconds = $11, runbook_url = $12, notes = $13,
         updated_at = clock_timestamp(), revision = revision + $14::int,
         watched_since = CASE WHEN $15 THEN clock_timestamp() ELSE watched_since END,
         next_evaluation_at = CASE WHEN $14 = 1 THEN ${NEXT_EVALUATION} ELSE next_evaluation_at END,
         last_error = CASE WHEN $14 = 1 THEN NULL ELSE last_error END,
         last_error_at = CASE WHEN $14 = 1 THEN NULL ELSE last_error_at END
       WHERE id = $1 AND project_id = $2`,
      [id, projectId, ...valuesOf(rule), redefined ? 1 : 0, restarted],
      tx,
    );
  }

  /** Returns the rules of a project, newest first. */
  list({ projectId }: Scope): Promise<AlertRule[]> {
    return this.database.repository(AlertRule).find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find({ projectId }: Scope, id: string, db?: Db): Promise<AlertRule | null> {
    return this.database.repository(AlertRule, db).findOneBy({ projectId, id });
  }

  /** Returns a rule and locks its row. Waits until an evaluation of the rule that is under way has ended. */
  lock({ projectId }: Scope, id: string, tx: Db): Promise<AlertRule | null> {
    return this.database
      .repository(AlertRule, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async remove({ projectId }: Scope, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM alert_rules WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }

  async countOf({ projectId }: Scope, tx: Db): Promise<number> {
    return this.database.repository(AlertRule, tx).countBy({ projectId });
  }

  /** Turns the project's outbox on when the project has an enabled `match` rule, and off otherwise. */
  async followEvents({ projectId }: Scope, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO event_watches (project_id)
       SELECT $1 WHERE EXISTS (SELECT FROM alert_rules WHERE project_id = $1 AND is_enabled AND kind = 'match')
       ON CONFLICT DO NOTHING`,
      [projectId],
      tx,
    );
    await this.database.execute(
      `DELETE FROM event_watches w WHERE w.project_id = $1
       AND NOT EXISTS (SELECT FROM alert_rules r WHERE r.project_id = w.project_id AND r.is_enabled AND r.kind = 'match')`,
      [projectId],
      tx,
    );
  }

  /** Returns a function from the id of a rule to the distinct states of its series. Inactive series are not stored. */
  async statesOf({ projectId }: Scope, ruleIds: readonly string[], db?: Db): Promise<(ruleId: string) => RuleState[]> {
    const rows = await this.database.rows<{ rule_id: string; states: RuleState[] }>(
      `SELECT s.rule_id, array_agg(DISTINCT s.state) AS states
       FROM alert_rule_series s JOIN alert_rules r ON r.project_id = $1 AND r.id = s.rule_id
       WHERE s.rule_id = ANY ($2::uuid[]) GROUP BY 1`,
      [projectId, ruleIds],
      db,
    );
    const states = new Map(rows.map((row) => [row.rule_id, row.states]));
    return (ruleId) => states.get(ruleId) ?? [];
  }

  /**
   * Recomputes when series come to rest by time, as if the rule had always had these durations. The statement does the
   * same as `dueAfter` in `matched-series.ts`.
   */
  async holdSeries(
    { projectId }: Scope,
    ruleId: string,
    { forSeconds, keepFiringSeconds }: Holds,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rule_series s SET due_at = s.breached_at + make_interval(secs => CASE s.state
         WHEN 'pending' THEN $3::int WHEN 'firing' THEN greatest($3::int, $4::int) ELSE $4::int END)
       FROM alert_rules r
       WHERE r.project_id = $1 AND r.id = $2 AND s.rule_id = r.id AND s.due_at IS NOT NULL`,
      [projectId, ruleId, forSeconds, keepFiringSeconds],
      tx,
    );
  }

  async forgetSeries({ projectId }: Scope, ruleId: string, tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE FROM alert_rule_series s USING alert_rules r
       WHERE r.project_id = $1 AND r.id = $2 AND s.rule_id = r.id`,
      [projectId, ruleId],
      tx,
    );
  }
}

function valuesOf(rule: RuleDefinition): unknown[] {
  return [
    rule.name,
    rule.isEnabled,
    rule.severity,
    rule.kind,
    JSON.stringify(rule.condition),
    rule.groupBy,
    rule.forSeconds,
    rule.keepFiringSeconds,
    rule.cooldownSeconds,
    rule.runbookUrl,
    rule.notes,
  ];
}

export class ProjectOfAlertRule extends projectOf('rule_id', AlertRule, AlertRuleNotFound) {}
