import { Injectable } from '@nestjs/common';
import type { Recovery } from '../attempts/attempt-states.js';
import { type DueAttempt, DeliveryWakes } from '../engine/delivery-wakes.js';
import { DeliveryDispatcher } from '../engine/delivery-dispatcher.js';

/** Has a recovered attempt sent at once: by a worker, or here when the queue does not take the job. */
@Injectable()
export class RecoverySends {
  constructor(
    private readonly wakes: DeliveryWakes,
    private readonly dispatcher: DeliveryDispatcher,
  ) {}

  async begin(due: DueAttempt, action: Recovery): Promise<void> {
    const isDrain = action === 'dlq_drain';
    const isQueued = await (isDrain ? this.wakes.drain(due) : this.wakes.wake(due));
    if (!isQueued) await this.dispatcher.begin(due.attemptId, isDrain ? 'dlq_drain' : 'worker');
  }
}
