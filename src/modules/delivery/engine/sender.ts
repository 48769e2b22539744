import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { failedTry } from '../../../platform/tries/index.js';
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
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

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

  /** @returns whether the result is written; never rejects */
  async run(claimed: ClaimedAttempt, owner: string): Promise<boolean> {
    const deadlineMs = claimed.heldUntil - performance.now() - MARGIN_MS;
    if (deadlineMs <= MARGIN_MS) {
      // Too late to finish under this claim: somebody else may hold it by the time an answer comes.
      await this.untilWritten(claimed, () => this.claims.giveBack(claimed));
      return false;
    }
    const started = performance.now();
    const delivered = await this.deliver(claimed, deadlineMs);
    this.metrics.tried(claimed, delivered.outcome, performance.now() - started);
    const isWritten = await this.untilWritten(claimed, () => this.settle(claimed, delivered, owner));
    return isWritten ?? false;
  }

  async giveBack(claimed: ClaimedAttempt): Promise<void> {
    await this.untilWritten(claimed, () => this.claims.giveBack(claimed));
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

  private async settle(claimed: ClaimedAttempt, { outcome, deliveredTo }: Delivered, owner: string): Promise<boolean> {
    const next = nextState(claimed, outcome, policyOf(claimed.configuration), randomFraction());
    if (await this.claims.settle(claimed, next, outcome, { deliveredTo, isOwn: true })) return true;
    if (await this.claims.isSettledBy(claimed)) return true;
    this.metrics.leaseLost();
    this.logger.warn(`the claim on attempt ${claimed.id} had expired before the result of its try came`);
    await this.claims.recordLoss(claimed, owner, claimed.claim, outcome);
    return false;
  }

  /** The database may be away for a while: only the writing is repeated, for as long as the claim lasts, never the send. */
  private async untilWritten<T>(claimed: ClaimedAttempt, write: () => Promise<T>): Promise<T | undefined> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() + waitMs >= claimed.heldUntil) {
          this.logger.error(`the result of attempt ${claimed.id} could not be written: ${String(error)}`);
          return undefined;
        }
        await pause(waitMs);
      }
    }
  }
}
