import { JobHandler, type JobProcessor } from '../../../../platform/queue/index.js';
import { HeartbeatsWriter } from '../../heartbeats/index.js';
import { DetectionScheduler } from '../../sentinel/index.js';
import { type RuleEvaluations, ruleEvaluationsJob } from './rule-evaluations.job.js';
import { RuleRunner } from './rule-runner.js';

@JobHandler(ruleEvaluationsJob)
export class RuleEvaluationsProcessor implements JobProcessor<RuleEvaluations, { processed: number }> {
  constructor(
    private readonly runner: RuleRunner,
    private readonly heartbeats: HeartbeatsWriter,
    private readonly sentinel: DetectionScheduler,
  ) {}

  async run({ part }: RuleEvaluations): Promise<{ processed: number }> {
    if (part !== undefined) return { processed: await this.runner.run(part) };
    await this.heartbeats.beat('evaluation');
    const judged = await this.sentinel.run();
    return { processed: judged + (await this.runner.run('matches')) + (await this.runner.run('windows')) };
  }
}
