import { Inject } from '@nestjs/common';
import { asProjectId } from '../../../access/index.js';
import { JobHandler, type JobProcessor } from '../../../../platform/queue/index.js';
import { AttemptClaimsRepository } from './attempt-claims.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from './attempt.outbox.js';
import { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './delivery.jobs.js';

@JobHandler(deliveryRetriesJob)
export class DeliveryRetriesProcessor implements JobProcessor<{ wait: boolean }, { processed: number }> {
  constructor(@Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine) {}

  async run(payload: { wait: boolean }): Promise<{ processed: number }> {
    return { processed: await this.engine.look(payload) };
  }
}

type Wake = { lanes: { project_id: string; channel_id: string }[] };

/**
 * The job ends when the channels are queued in this process. It does not wait for sends, because a receiver that hangs
 * must not hold up the job queue.
 */
@JobHandler(deliveryWakeJob)
export class DeliveryWakeProcessor implements JobProcessor<Wake> {
  constructor(@Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine) {}

  run({ lanes }: Wake): Promise<void> {
    this.engine.lineUp(lanes.map(({ project_id: tenant, channel_id: lane }) => ({ tenant, lane })));
    return Promise.resolve();
  }
}

type Drain = { attempt_id: string; project_id: string };

@JobHandler(dlqDrainJob)
export class DlqDrainProcessor implements JobProcessor<Drain> {
  constructor(
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
    private readonly claims: AttemptClaimsRepository,
  ) {}

  async run({ attempt_id: id, project_id }: Drain): Promise<void> {
    const tenant = { projectId: asProjectId(project_id) };
    await this.engine.begin(() => this.claims.claimOne(tenant, this.engine.claimant('dlq_drain'), id));
  }
}
