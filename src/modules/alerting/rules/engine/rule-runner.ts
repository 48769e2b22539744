import { Injectable } from '@nestjs/common';
import { MatchRunner } from '../matching/match-runner.js';
import { WindowRunner } from '../windows/window-runner.js';
import { RULE_PARTS, type RulePart } from './rule-evaluations.job.js';

/** A batch or a rule that takes longer hangs: several statements that each run into their timeout take less. */
const STUCK_AFTER_MS = 60_000;

/** Runs the parts of rule evaluation and records whether they make progress. */
@Injectable()
export class RuleRunner {
  private readonly movedAt: Record<RulePart, number> = { matches: performance.now(), windows: performance.now() };

  constructor(
    private readonly matches: MatchRunner,
    private readonly windows: WindowRunner,
  ) {}

  /** @returns how many pieces of work were processed */
  async run(part: RulePart): Promise<number> {
    const runner = part === 'matches' ? this.matches : this.windows;
    const moved = (): void => {
      this.movedAt[part] = performance.now();
    };
    const processed = await runner.run(moved);
    moved();
    return processed;
  }

  /** Returns the number of projects with matching work, plus the number of rules whose window is due. */
  async countDue(): Promise<number> {
    return (await this.matches.countDue()) + (await this.windows.countDue());
  }

  /** Is false when a part has finished no run, batch or rule for a minute. */
  get isMoving(): boolean {
    return RULE_PARTS.every((part) => performance.now() - this.movedAt[part] < STUCK_AFTER_MS);
  }
}
