import { JobHandler, type JobProcessor } from '../../../../platform/queue/index.js';
import { alertDeliveriesJob, alertDeliveryWakeJob } from './alert-deliveries.jobs.js';
import { AlertDispatcher } from './alert-dispatcher.js';
import { ExpiredClaims } from './expired-claims.js';

/** Ends expired claims and begins to send what is due; who waits has it all sent. */
@JobHandler(alertDeliveriesJob)
export class AlertDeliveriesProcessor implements JobProcessor<{ wait: boolean }, { processed: number }> {
  constructor(
    private readonly dispatcher: AlertDispatcher,
    private readonly expired: ExpiredClaims,
  ) {}

  async run({ wait }: { wait: boolean }): Promise<{ processed: number }> {
    const ended = await this.expired.settle();
    return { processed: ended + (await (wait ? this.dispatcher.round() : this.dispatcher.pump())) };
  }
}

type Wake = { project_id: string; destination_id: string };

/** Ends when the destination stands in line: sends to a receiver that hangs must not hold up the queue. */
@JobHandler(alertDeliveryWakeJob)
export class AlertDeliveryWakeProcessor implements JobProcessor<Wake> {
  constructor(private readonly dispatcher: AlertDispatcher) {}

  run({ project_id: projectId, destination_id: destinationId }: Wake): Promise<void> {
    this.dispatcher.wake(projectId, destinationId);
    return Promise.resolve();
  }
}
