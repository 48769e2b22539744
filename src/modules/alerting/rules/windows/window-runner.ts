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

/** One statement of an evaluation may read events for so long. */
const STATEMENT_TIMEOUT = '10s';
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

/**
 * Evaluates rules on windows when they are due. A rule is claimed by its row for the length of one transaction, which also
 * fires its alerts and says when it is due again: several workers never evaluate a rule twice, and one that dies leaves
 * no trace. The time is the database's.
 */
@Injectable()
export class WindowRunner {
  /** Of a statement with patterns, whose cost the database does not bound; tests on a busy machine make it more. */
  patternTimeout: `${number}s` = '3s';
  private readonly logger = new Logger('alert-rules');
  /** When projects with rules that are due last had a turn here. */
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
   * Evaluates what is due, projects in turn and a few at a time: one with many rules or slow ones keeps no other from its
   * own.
   * @param onStep told after each rule, whether it went well or not
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

  /** @returns whether the project has more */
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

  /** Those whose last turn lies longest ago first, then those that wait longest: a run may end before all had theirs. */
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
    // An archived project takes no events: what is seen of it says nothing.
    if (due.archived) return;
    const began = performance.now();
    await this.evaluation.evaluate(rule, due.now.getTime(), tx);
    if (performance.now() - began < SLOW_MS) return;
    await this.due.delay(rule, secondsAfterSlow(rule.condition.window_seconds), tx);
  }
}
