import { Inject } from '@nestjs/common';
import { JobHandler, type JobProcessor } from '../../../../platform/queue/index.js';
import { alertDeliveriesJob, alertDeliveryWakeJob } from './deliveries.jobs.js';
import { ALERT_DELIVERY_ENGINE, type AlertDeliveryEngine } from './delivery.outbox.js';

@JobHandler(alertDeliveriesJob)
export class AlertDeliveriesProcessor implements JobProcessor<{ wait: boolean }, { processed: number }> {
  constructor(@Inject(ALERT_DELIVERY_ENGINE) private readonly engine: AlertDeliveryEngine) {}

  async run(payload: { wait: boolean }): Promise<{ processed: number }> {
    return { processed: await this.engine.look(payload) };
  }
}

type Wake = { project_id: string; destination_id: string };

/**
 * The job ends when the destination is queued in this process. It does not wait for sends, because a receiver that
 * hangs must not hold up the job queue.
 */
@JobHandler(alertDeliveryWakeJob)
export class AlertDeliveryWakeProcessor implements JobProcessor<Wake> {
  constructor(@Inject(ALERT_DELIVERY_ENGINE) private readonly engine: AlertDeliveryEngine) {}

  run({ project_id: tenant, destination_id: lane }: Wake): Promise<void> {
    this.engine.lineUp([{ tenant, lane }]);
    return Promise.resolve();
  }
}
