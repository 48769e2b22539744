import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { claimOwner, Dispatcher } from '../../../delivery/sending/index.js';
import { ClaimsRepository, type HeldDelivery } from './claims.repository.js';
import { Sender } from './sender.js';

/** Sends at a time in this process: in all, of a project, to a destination. */
const LIMITS = { all: 100, tenant: 40, lane: 5 };
/** Due rows of one destination in one claim. */
const OF_DESTINATION = 3;
const STOP_MS = 15_000;

/** Claims due alert deliveries and sends them, within the limits of this process and of each project and destination. */
@Injectable()
export class AlertDispatcher implements BeforeApplicationShutdown {
  private readonly dispatcher: Dispatcher<HeldDelivery>;

  constructor(claims: ClaimsRepository, sender: Sender, metrics: Metrics, @Inject(CONFIG) config: Config) {
    const { leaseSeconds, batchSize: batch } = config.deliveryRetries;
    const claimant = { owner: claimOwner(), leaseSeconds };
    const logger = new Logger('alert-deliveries');
    this.dispatcher = new Dispatcher<HeldDelivery>(
      {
        dueLanes: (most, after) => claims.dueLanes(most, after),
        claim: (lanes, most) => claims.claim(claimant, lanes, most),
        run: (held) => sender.run(held),
        giveBack: (held) => sender.giveBack(held),
      },
      {
        limits: LIMITS,
        batch,
        ofLane: OF_DESTINATION,
        goesOn: config.process.runsWorkers,
        stopMs: STOP_MS,
        onTrouble: (error) => logger.warn(`a look for due alert deliveries failed: ${String(error)}`),
      },
    );
    metrics.gauge('alert_delivery_in_flight', 'Alert deliveries under way in this process', [], (gauge) => {
      gauge.set(this.dispatcher.inUse);
    });
  }

  wake(projectId: string, destinationId: string): void {
    this.dispatcher.wake([{ tenant: projectId, lane: destinationId }]);
  }

  /** @returns how many sends were begun */
  pump(): Promise<number> {
    return this.dispatcher.pump();
  }

  /** Sends what is due until nothing is left or it takes too long. @returns how many sends have ended */
  round(): Promise<number> {
    return this.dispatcher.round();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.dispatcher.stop();
  }
}
