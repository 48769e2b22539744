import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Database } from '../../../../platform/database/database.js';
import { MatchEvaluator } from './match-evaluator.js';
import { OutboxRepository } from './outbox.repository.js';

/** A project works for this long before the next project has its turn. */
const TURN_MS = 250;
/** A run begins no further pass over the projects after this time. */
const ROUND_MS = 5_000;
/** At most this many projects are worked on at once, because most of a turn is spent waiting for the database. */
const MOST_LANES = 3;
/** A process has one lane for this many of its database connections. */
const CONNECTIONS_OF_A_LANE = 3;

/**
 * Matches events against `match` rules, in the order in which the events were accepted and once for each rule. One
 * worker holds a project at a time. Projects take turns, so that none waits for all the work of another.
 */
@Injectable()
export class MatchRunner {
  private readonly logger = new Logger('alert-rules');
  private readonly lanes: number;

  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxRepository,
    private readonly turns: MatchEvaluator,
    @Inject(CONFIG) { database: { poolSize } }: Config,
  ) {
    this.lanes = Math.max(1, Math.min(MOST_LANES, Math.floor(poolSize / CONNECTIONS_OF_A_LANE)));
  }

  async countDue(): Promise<number> {
    return (await this.outbox.projectsWithWork()).length;
  }

  /**
   * Works on every project that has work, in passes, until no work is left or the run has taken five seconds.
   * @param onStep called after each piece of work, whether it succeeded or failed
   * @returns how many rows, alerts and series were processed
   */
  async run(onStep: () => void = () => undefined): Promise<number> {
    const until = performance.now() + ROUND_MS;
    let processed = 0;
    for (let done = 1; done > 0 && performance.now() < until; processed += done) done = await this.pass(onStep);
    return processed;
  }

  private async pass(onStep: () => void): Promise<number> {
    const projects = (await this.outbox.projectsWithWork())[Symbol.iterator]();
    let processed = 0;
    const lane = async (): Promise<void> => {
      for (const projectId of projects) processed += await this.turn(projectId, onStep);
    };
    await Promise.all(Array.from({ length: this.lanes }, lane));
    return processed;
  }

  private async turn(projectId: ProjectId, onStep: () => void): Promise<number> {
    let processed = 0;
    try {
      await this.database.alone(`alert-rules:${projectId}`, async (session) => {
        const until = performance.now() + TURN_MS;
        for (let done = 1; done > 0 && performance.now() < until; processed += done) {
          if (this.turns.rests(projectId)) return;
          done = await this.turns.step(projectId, session);
          onStep();
        }
      });
    } catch (error) {
      this.logger.warn(`matching the events of project ${projectId} failed: ${String(error)}`);
      onStep();
    }
    return processed;
  }
}
