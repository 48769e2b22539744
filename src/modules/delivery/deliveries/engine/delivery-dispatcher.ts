import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { claimOwner, Dispatcher, type Lane } from '../../sending/index.js';
import type { ClaimKind } from '../attempts/attempt-states.js';
import { type ClaimedAttempt, type Claimant, ClaimsRepository } from './claims.repository.js';
import { Sender } from './sender.js';

/** Sends at a time in this process: in all, of a project, to a channel. They wait for the network, so there may be many. */
const LIMITS = { all: 200, tenant: 50, lane: 10 };
/** Due rows of one channel in one claim. */
const OF_CHANNEL = 3;
const STOP_MS = 15_000;

/** Claims due attempts and sends them, within the limits of this process and of each project and channel. */
@Injectable()
export class DeliveryDispatcher implements BeforeApplicationShutdown {
  /** Of this process, in claims and audits. */
  private readonly owner = claimOwner();
  private readonly leaseSeconds: number;
  private readonly dispatcher: Dispatcher<ClaimedAttempt>;

  constructor(
    private readonly claims: ClaimsRepository,
    sender: Sender,
    metrics: Metrics,
    @Inject(CONFIG) config: Config,
  ) {
    const { leaseSeconds, batchSize: batch } = config.deliveryRetries;
    this.leaseSeconds = leaseSeconds;
    const logger = new Logger('delivery');
    this.dispatcher = new Dispatcher<ClaimedAttempt>(
      {
        dueLanes: (most, after) => claims.dueLanes(most, after),
        claim: (lanes, most) => claims.claim(this.claimant('worker'), lanes, most),
        run: (claimed) => sender.run(claimed),
        giveBack: (claimed) => sender.giveBack(claimed),
      },
      {
        limits: LIMITS,
        batch,
        ofLane: OF_CHANNEL,
        goesOn: config.process.runsWorkers,
        stopMs: STOP_MS,
        onTrouble: (error) => logger.warn(`deliveries are held up: ${String(error)}`),
      },
    );
    metrics.gauge('delivery_in_flight', 'Sends under way in this process', [], (gauge) => {
      gauge.set(this.dispatcher.inUse);
    });
  }

  claimant(kind: ClaimKind, owner = this.owner, leaseSeconds = this.leaseSeconds): Claimant {
    return { owner, kind, leaseSeconds };
  }

  /** Has due attempts of these channels claimed and sent in turn. */
  wake(lanes: readonly Lane[]): void {
    this.dispatcher.wake(lanes);
  }

  /** @returns how many sends were begun */
  pump(): Promise<number> {
    return this.dispatcher.pump();
  }

  /** One attempt by its id, which somebody waits for; nothing when it is not to be had. Resolves once it is claimed. */
  async begin(id: string, kind: ClaimKind): Promise<void> {
    const claimed = this.dispatcher.isStopping ? null : await this.claims.claimOne(this.claimant(kind), id);
    if (claimed !== null) void this.dispatcher.run(claimed);
  }

  /** Sends what the caller has claimed, past the limits: somebody waits for it. Resolves when the result is written. */
  send(claimed: ClaimedAttempt): Promise<void> {
    return this.dispatcher.run(claimed);
  }

  /** Sends what is due until nothing is left or it takes too long. @returns how many sends have ended */
  round(): Promise<number> {
    return this.dispatcher.round();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.dispatcher.stop();
  }
}
