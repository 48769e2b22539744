import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { JobQueue } from '../../../../platform/queue/index.js';
import type { Recovery } from '../attempts/attempt-states.js';
import { AttemptClaimsRepository } from '../engine/attempt-claims.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from '../engine/attempt.outbox.js';
import { dlqDrainJob } from '../engine/delivery.jobs.js';

interface DueAttempt {
  readonly attemptId: string;
  readonly projectId: ProjectId;
  readonly channelId: string;
}

/** Sends a new attempt at once: by a worker, or by this process when the queue does not accept the job. */
@Injectable()
export class RecoveryDispatcher {
  private readonly logger = new Logger('delivery');

  constructor(
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
    private readonly claims: AttemptClaimsRepository,
    private readonly queue: JobQueue,
  ) {}

  async begin(due: DueAttempt, action: Recovery): Promise<void> {
    switch (action) {
      case 'replay': {
        const { projectId: tenant, channelId: lane } = due;
        if (await this.engine.wakeWorkers({ tenant, lane })) return;
        return this.engine.begin(() => this.claims.claimOne(due, this.engine.claimant('worker'), due.attemptId));
      }
      case 'dlq_drain':
        if (await this.queueDrain(due)) return;
        return this.engine.begin(() => this.claims.claimOne(due, this.engine.claimant('dlq_drain'), due.attemptId));
    }
  }

  private queueDrain({ attemptId, projectId, channelId }: DueAttempt): Promise<boolean> {
    const payload = { attempt_id: attemptId, project_id: projectId, channel_id: channelId };
    return this.queue.add(dlqDrainJob, payload, { jobId: `${attemptId}-1` }).then(
      () => true,
      (error: unknown) => {
        this.logger.debug(`the queue did not take a wake-up: ${String(error)}`);
        return false;
      },
    );
  }
}
