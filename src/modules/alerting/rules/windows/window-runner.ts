import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { patternsOf } from '../../conditions/index.js';
import { reasonOf } from '../outcomes/failure-reasons.js';
import { LiveRulesRepository, RULE_COLUMNS, type RuleRow } from '../live-rules.repository.js';
import { RuleFailuresRepository } from '../outcomes/rule-failures.repository.js';
import { WindowEvaluator } from './window-evaluator.js';
import { evaluationSeconds, secondsAfterSlow } from './window-values.js';

/** One statement of an evaluation may read events for so long. */
const STATEMENT_TIMEOUT = '10s';
/** With patterns, whose cost the database does not bound. */
const PATTERN_TIMEOUT = '3s';
/** One run does no more than this, and begins nothing after so long; the next one goes on. */
const MOST_RULES = 500;
const BUDGET_MS = 5_000;
/** A project that has had so long waits until the others had their turn. */
const TURN_MS = 500;
/** What takes longer is looked at less often. */
const SLOW_MS = 2_500;
const LONGEST_WAIT_SECONDS = 3_600;
/** Projects at a time: one evaluation may wait many seconds for the database. */
const MOST_LANES = 3;
/** Of the connections of a process, one in so many. */
const CONNECTIONS_OF_A_LANE = 4;

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
export class WindowRunner {
  private readonly logger = new Logger('alert-rules');
  /** When projects with rules that are due last had a turn here. */
  private readonly servedAt = new Map<string, number>();
  private readonly lanes: number;

  constructor(
    private readonly database: Database,
    private readonly rules: LiveRulesRepository,
    private readonly evaluation: WindowEvaluator,
    private readonly failures: RuleFailuresRepository,
    private readonly metrics: RuleMetrics,
    @Inject(CONFIG) { database: { poolSize } }: Config,
  ) {
    this.lanes = Math.max(1, Math.min(MOST_LANES, Math.floor(poolSize / CONNECTIONS_OF_A_LANE)));
  }

  /**
   * Evaluates what is due, projects in turn and a few at a time: one with many rules or slow ones keeps no other from its
   * own.
   * @param onStep told after each rule, whether it went well or not
   * @returns how many rules were evaluated
   */
  async run(onStep: () => void = () => undefined): Promise<number> {
    const until = performance.now() + BUDGET_MS;
    let evaluated = 0;
    const isOver = (): boolean => evaluated >= MOST_RULES || performance.now() >= until;
    const one = async (projectId: string): Promise<boolean> => {
      const isDone = await this.next(projectId);
      if (isDone) evaluated += 1;
      onStep();
      return isDone;
    };
    for (let waiting = await this.projectsWithDue(); waiting.length > 0 && !isOver();) {
      const projects = waiting[Symbol.iterator]();
      const again: string[] = [];
      const lane = async (): Promise<void> => {
        for (const projectId of projects) {
          if (isOver()) return;
          if (await this.turn(projectId, one, isOver)) again.push(projectId);
        }
      };
      await Promise.all(Array.from({ length: this.lanes }, lane));
      waiting = again;
    }
    return evaluated;
  }

  /** @returns whether the project has more */
  private async turn(
    projectId: string,
    one: (projectId: string) => Promise<boolean>,
    isOver: () => boolean,
  ): Promise<boolean> {
    const turnEnds = performance.now() + TURN_MS;
    this.servedAt.set(projectId, performance.now());
    while (!isOver() && performance.now() < turnEnds) if (!(await one(projectId))) return false;
    return true;
  }

  async countDue(): Promise<number> {
    const [row] = await this.database.rows<{ due: number }>(
      `SELECT count(*)::int AS due FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.next_evaluation_at <= clock_timestamp()`,
    );
    return row?.due ?? 0;
  }

  /** Those whose last turn lies longest ago first, then those that wait longest: a run may end before all had theirs. */
  private async projectsWithDue(): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      `SELECT r.project_id AS id FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.next_evaluation_at <= clock_timestamp() GROUP BY 1 ORDER BY min(r.next_evaluation_at)`,
    );
    const due = rows.map(({ id }) => id);
    const known = new Set(due);
    for (const id of this.servedAt.keys()) if (!known.has(id)) this.servedAt.delete(id);
    const lastTurn = (id: string): number => this.servedAt.get(id) ?? 0;
    return due.sort((a, b) => lastTurn(a) - lastTurn(b));
  }

  private async next(projectId: string): Promise<boolean> {
    let claimed: string | undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const due = await this.claim(projectId, tx);
        if (due === undefined) return false;
        claimed = due.id;
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

  private async claim(projectId: string, tx: Db): Promise<Due | undefined> {
    const rows = await this.database.rows<Due>(
      `SELECT ${RULE_COLUMNS}, clock_timestamp() AS now, p.archived_at IS NOT NULL AS archived
       FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.project_id = $1 AND r.next_evaluation_at <= clock_timestamp()
       ORDER BY r.next_evaluation_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`,
      [projectId],
      tx,
    );
    return rows[0];
  }

  private async evaluate(due: Due, tx: Db): Promise<void> {
    const [read] = await this.rules.read([due], tx);
    if (read !== undefined && 'error' in read) throw read.error;
    const rule = read?.rule;
    if (rule === undefined || !('window_seconds' in rule.condition)) throw new Error('The rule has no window');
    const timeout = patternsOf(rule.filter).length > 0 ? PATTERN_TIMEOUT : STATEMENT_TIMEOUT;
    await this.database.execute(`SET LOCAL statement_timeout = '${timeout}'`, [], tx);
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $2), last_evaluated_at = $3,
         last_error = NULL, last_error_at = NULL, watched_since = CASE WHEN $4 THEN $3 ELSE watched_since END
       WHERE id = $1`,
      [rule.id, evaluationSeconds(rule.condition.window_seconds), due.now, due.archived],
      tx,
    );
    // An archived project takes no events: what is seen of it says nothing.
    if (due.archived) return;
    const began = performance.now();
    await this.evaluation.evaluate(rule, due.now.getTime(), tx);
    if (performance.now() - began < SLOW_MS) return;
    await this.database.execute(
      'UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $2) WHERE id = $1',
      [rule.id, secondsAfterSlow(rule.condition.window_seconds)],
      tx,
    );
  }

  /**
   * Waits a minute after the first failure, and then as long again as the rule has been failing for, an hour at most: so
   * the wait doubles, whichever worker fails. What people change of a rule begins that anew.
   */
  private async postpone(id: string, error: unknown): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() +
         CASE WHEN last_error IS NULL THEN interval '60 seconds'
         ELSE least(greatest(clock_timestamp() - greatest(last_evaluated_at, watched_since, updated_at),
                             interval '60 seconds'), make_interval(secs => $2)) END
       WHERE id = $1 AND next_evaluation_at IS NOT NULL`,
      [id, LONGEST_WAIT_SECONDS],
    );
    await this.failures.record(id, reasonOf(error));
  }
}
