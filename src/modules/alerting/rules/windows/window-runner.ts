import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { patternsOf } from '../../../events/conditions/index.js';
import { reasonOf } from '../outcomes/failure-reasons.js';
import { LiveRulesRepository } from '../live-rules.repository.js';
import { RuleFailuresRepository } from '../outcomes/rule-failures.repository.js';
import { type DueRule, DueRulesRepository } from './due-rules.repository.js';
import { WindowEvaluator } from './window-evaluator.js';
import { evaluationSeconds, secondsAfterSlow } from './window-values.js';

/** A statement of an evaluation may read events for at most this long. */
const STATEMENT_TIMEOUT = '10s';
/** A run evaluates at most this many rules, and begins none after `BUDGET_MS`. The next run continues. */
const MOST_RULES = 500;
const BUDGET_MS = 5_000;
/** A project that has worked for this long waits until the other projects had their turn. */
const TURN_MS = 500;
/** A rule whose evaluation takes longer is evaluated less often. */
const SLOW_MS = 2_500;
const LONGEST_WAIT_SECONDS = 3_600;
/** At most this many projects are worked on at once, because one evaluation may wait many seconds for the database. */
const MOST_LANES = 3;
/** A process has one lane for this many of its database connections. */
const CONNECTIONS_OF_A_LANE = 4;

/**
 * Evaluates rules on windows when they are due. One transaction locks the row of a rule, fires its alerts and schedules
 * its next evaluation. So no two workers evaluate a rule twice, and a worker that dies leaves no trace. Times are those
 * of the database clock.
 */
@Injectable()
export class WindowRunner {
  /**
   * Limits a statement with patterns, whose cost the database does not limit. Tests on a busy machine raise the limit.
   */
  patternTimeout: `${number}s` = '3s';
  private readonly logger = new Logger('alert-rules');
  /**
   * The time of the last turn of each project with due rules in this process, in milliseconds of `performance.now()`.
   */
  private readonly servedAt = new Map<string, number>();
  private readonly lanes: number;

  constructor(
    private readonly database: Database,
    private readonly due: DueRulesRepository,
    private readonly rules: LiveRulesRepository,
    private readonly evaluation: WindowEvaluator,
    private readonly failures: RuleFailuresRepository,
    private readonly metrics: RuleMetrics,
    @Inject(CONFIG) { database: { poolSize } }: Config,
  ) {
    this.lanes = Math.max(1, Math.min(MOST_LANES, Math.floor(poolSize / CONNECTIONS_OF_A_LANE)));
  }

  /**
   * Evaluates due rules. Projects take turns, a few at a time, so that a project with many or slow rules does not hold
   * up the others.
   * @param onStep called after each rule, whether its evaluation succeeded or failed
   * @returns how many rules were evaluated
   */
  async run(onStep: () => void = () => undefined): Promise<number> {
    const until = performance.now() + BUDGET_MS;
    let evaluated = 0;
    const isOver = (): boolean => evaluated >= MOST_RULES || performance.now() >= until;
    const one = async (projectId: ProjectId): Promise<boolean> => {
      const isDone = await this.next(projectId);
      if (isDone) evaluated += 1;
      onStep();
      return isDone;
    };
    for (let waiting = await this.projectsWithDue(); waiting.length > 0 && !isOver();) {
      const projects = waiting[Symbol.iterator]();
      const again: ProjectId[] = [];
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

  /** @returns whether the project may have more due rules */
  private async turn(
    projectId: ProjectId,
    one: (projectId: ProjectId) => Promise<boolean>,
    isOver: () => boolean,
  ): Promise<boolean> {
    const turnEnds = performance.now() + TURN_MS;
    this.servedAt.set(projectId, performance.now());
    while (!isOver() && performance.now() < turnEnds) if (!(await one(projectId))) return false;
    return true;
  }

  countDue(): Promise<number> {
    return this.due.count();
  }

  /**
   * Returns the projects with due rules: first those whose last turn was longest ago, then the longest waiting. A run
   * may end before all projects had their turn.
   */
  private async projectsWithDue(): Promise<ProjectId[]> {
    const due = await this.due.projects();
    const known = new Set<string>(due);
    for (const id of this.servedAt.keys()) if (!known.has(id)) this.servedAt.delete(id);
    const lastTurn = (id: string): number => this.servedAt.get(id) ?? 0;
    return due.sort((a, b) => lastTurn(a) - lastTurn(b));
  }

  private async next(projectId: ProjectId): Promise<boolean> {
    let claimed: string | undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const due = await this.due.claim(projectId, tx);
        if (due === null) return false;
        claimed = due.id;
        await this.evaluate(due, tx);
        this.metrics.evaluated('done');
        return true;
      });
    } catch (error) {
      if (claimed === undefined) throw error;
      this.logger.warn(`evaluating rule ${claimed} failed: ${String(error)}`);
      this.metrics.evaluated('failed');
      await this.due.postpone({ projectId, id: claimed }, LONGEST_WAIT_SECONDS);
      await this.failures.record(projectId, claimed, reasonOf(error));
      return true;
    }
  }

  private async evaluate(due: DueRule, tx: Db): Promise<void> {
    const [read] = await this.rules.read(due.project_id, [due], tx);
    if (read !== undefined && 'error' in read) throw read.error;
    const rule = read?.rule;
    if (rule === undefined || !('window_seconds' in rule.condition)) throw new Error('The rule has no window');
    const timeout = patternsOf(rule.filter).length > 0 ? this.patternTimeout : STATEMENT_TIMEOUT;
    await this.due.boundStatements(timeout, tx);
    await this.due.begin(due, evaluationSeconds(rule.condition.window_seconds), tx);
    // An archived project accepts no events, so an observation would say nothing.
    if (due.archived) return;
    const began = performance.now();
    await this.evaluation.evaluate(rule, due.now.getTime(), tx);
    if (performance.now() - began < SLOW_MS) return;
    await this.due.delay(rule, secondsAfterSlow(rule.condition.window_seconds), tx);
  }
}
