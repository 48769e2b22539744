import { Injectable, Logger } from '@nestjs/common';
import { failedTry, untilWritten } from '../../sending/index.js';
import { nextState } from '../attempts/transitions.js';
import { policyOf } from '../attempts/policy.js';
import type { ChannelDriver, Delivered } from './channel-driver.js';
import { type ClaimedAttempt, ClaimsRepository } from './claims.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { EmailDriver } from './email-driver.js';
import { randomFraction } from './random-fraction.js';
import { WebhookDriver } from './webhook-driver.js';

/** Kept between the longest a try may take and the end of the lease, for the result to be written. */
const MARGIN_MS = 250;

/** Sends one claimed attempt and writes down what came of it. No transaction is open meanwhile. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('delivery');
  private readonly drivers: Readonly<Record<ClaimedAttempt['channelType'], ChannelDriver>>;

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly metrics: DeliveryMetrics,
    webhook: WebhookDriver,
    email: EmailDriver,
  ) {
    this.drivers = { webhook, email };
  }

  /** Never rejects. A result that cannot be written while the claim lasts is lost: the claim then expires. */
  async run(claimed: ClaimedAttempt): Promise<void> {
    const deadlineMs = claimed.heldUntil - performance.now() - MARGIN_MS;
    // Too late to finish under this claim: somebody else may hold it by the time an answer comes.
    if (deadlineMs <= MARGIN_MS) return this.giveBack(claimed);
    const started = performance.now();
    const delivered = await this.deliver(claimed, deadlineMs);
    this.metrics.tried(claimed, delivered.outcome, performance.now() - started);
    await this.write(claimed, () => this.settle(claimed, delivered));
  }

  giveBack(claimed: ClaimedAttempt): Promise<void> {
    return this.write(claimed, () => this.claims.giveBack(claimed));
  }

  private async write({ id, heldUntil }: ClaimedAttempt, result: () => Promise<void>): Promise<void> {
    try {
      await untilWritten(heldUntil, result);
    } catch (error) {
      this.logger.error(`the result of attempt ${id} could not be written: ${String(error)}`);
    }
  }

  private async deliver(claimed: ClaimedAttempt, deadlineMs: number): Promise<Delivered> {
    if (!claimed.channelEnabled) return { outcome: failedTry('refused', 'channel_disabled') };
    try {
      return await this.drivers[claimed.channelType].deliver(claimed, deadlineMs);
    } catch (error) {
      this.logger.error(error instanceof Error ? error : new Error(String(error)));
      return { outcome: failedTry('transient', 'internal_error') };
    }
  }

  private async settle(claimed: ClaimedAttempt, { outcome, deliveredTo }: Delivered): Promise<void> {
    const next = nextState(claimed, outcome, policyOf(claimed.configuration), randomFraction());
    if (await this.claims.settle(claimed, next, outcome, { deliveredTo, isOwn: true })) return;
    if (await this.claims.isSettledBy(claimed)) return;
    this.metrics.leaseLost();
    this.logger.warn(`the claim on attempt ${claimed.id} had expired before the result of its try came`);
    await this.claims.recordLoss(claimed, outcome);
  }
}
