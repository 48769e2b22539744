import { Injectable } from '@nestjs/common';
import { MatchRunner } from '../matching/match-runner.js';
import { WindowRunner } from '../windows/window-runner.js';
import { RULE_PARTS, type RulePart } from './rule-evaluations.job.js';

/** One batch or one rule takes less than this unless it hangs: several statements at the longest a statement may take. */
const STUCK_AFTER_MS = 60_000;

/** Does the parts of the work on rules, and knows whether they get on. */
@Injectable()
export class RuleRunner {
  private readonly movedAt: Record<RulePart, number> = { matches: performance.now(), windows: performance.now() };

  constructor(
    private readonly matches: MatchRunner,
    private readonly windows: WindowRunner,
  ) {}

  /** @returns how much there was to do */
  async run(part: RulePart): Promise<number> {
    const runner = part === 'matches' ? this.matches : this.windows;
    const moved = (): void => {
      this.movedAt[part] = performance.now();
    };
    const processed = await runner.run(moved);
    moved();
    return processed;
  }

  /** Projects whose events wait to be matched, and rules whose window is due. */
  async countDue(): Promise<number> {
    return (await this.matches.countDue()) + (await this.windows.countDue());
  }

  /** False when a part has not ended a run, a batch or a rule for a minute. */
  get isMoving(): boolean {
    return RULE_PARTS.every((part) => performance.now() - this.movedAt[part] < STUCK_AFTER_MS);
  }
}
