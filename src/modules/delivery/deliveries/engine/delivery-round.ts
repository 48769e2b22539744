import { Injectable } from '@nestjs/common';
import { JobHandler, type JobProcessor } from '../../../../platform/queue/index.js';
import { deliveryRetriesJob, deliveryWakeJob, dlqDrainJob } from './delivery.jobs.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { ExpiredClaims } from './expired-claims.js';

@Injectable()
export class DeliveryRound {
  constructor(
    private readonly dispatcher: DeliveryDispatcher,
    private readonly expired: ExpiredClaims,
  ) {}

  /** Ends expired claims and begins to send what is due. */
  async begin(): Promise<number> {
    const ended = await this.expired.settle();
    return ended + (await this.dispatcher.pump());
  }

  /** The same until nothing is due any more or it takes too long, with every send ended. @returns how many have ended */
  async complete(): Promise<number> {
    const ended = await this.expired.settle();
    return ended + (await this.dispatcher.round());
  }
}

@JobHandler(deliveryRetriesJob)
export class DeliveryRetriesProcessor implements JobProcessor<{ wait: boolean }, { processed: number }> {
  constructor(private readonly round: DeliveryRound) {}

  async run({ wait }: { wait: boolean }): Promise<{ processed: number }> {
    return { processed: await (wait ? this.round.complete() : this.round.begin()) };
  }
}

type Wake = { lanes: { project_id: string; channel_id: string }[] };

/** Ends when the channels stand in line: sends to a receiver that hangs must not hold up the queue. */
@JobHandler(deliveryWakeJob)
export class DeliveryWakeProcessor implements JobProcessor<Wake> {
  constructor(private readonly dispatcher: DeliveryDispatcher) {}

  run({ lanes }: Wake): Promise<void> {
    this.dispatcher.wake(lanes.map(({ project_id: tenant, channel_id: lane }) => ({ tenant, lane })));
    return Promise.resolve();
  }
}

@JobHandler(dlqDrainJob)
export class DlqDrainProcessor implements JobProcessor<{ attempt_id: string }> {
  constructor(private readonly dispatcher: DeliveryDispatcher) {}

  async run({ attempt_id: attemptId }: { attempt_id: string }): Promise<void> {
    await this.dispatcher.begin(attemptId, 'dlq_drain');
  }
}
