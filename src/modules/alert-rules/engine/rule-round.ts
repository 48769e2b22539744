import { Injectable } from '@nestjs/common';
import { JobHandler, type JobProcessor, type NoPayload } from '../../../platform/queue/index.js';
import { MatchRound } from '../matching/match-round.js';
import { Heartbeats } from '../windows/heartbeats.js';
import { WindowRound } from '../windows/window-round.js';
import { ruleEvaluationsJob } from './rule-evaluations.job.js';

@Injectable()
export class RuleRound {
  constructor(
    private readonly matches: MatchRound,
    private readonly windows: WindowRound,
    private readonly heartbeats: Heartbeats,
  ) {}

  /** @returns how much there was to do */
  async run(): Promise<number> {
    await this.heartbeats.beat('evaluation');
    return (await this.matches.run()) + (await this.windows.run());
  }
}

@JobHandler(ruleEvaluationsJob)
export class RuleEvaluationsProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(private readonly round: RuleRound) {}

  async run(): Promise<{ processed: number }> {
    return { processed: await this.round.run() };
  }
}
