import { Injectable, Logger } from '@nestjs/common';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { failedTry, type TryOutcome, untilWritten } from '../../sending/index.js';
import { nextState } from '../attempts/transitions.js';
import { HeaderVault } from '../channels/header-vault.js';
import { policyOf } from '../drivers/channel-configuration.js';
import type { Notification } from '../drivers/channel-driver.js';
import { ChannelDriverRegistry } from '../drivers/channel-driver.registry.js';
import { isChannelType } from '../drivers/channel-drivers.js';
import { type ClaimedAttempt, ClaimsRepository } from './claims.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { randomFraction } from './random-fraction.js';

/** Kept between the longest a try may take and the end of the lease, for the result to be written. */
const MARGIN_MS = 250;

/** Sends one claimed attempt and writes down what came of it. No transaction is open meanwhile. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly metrics: DeliveryMetrics,
    private readonly drivers: ChannelDriverRegistry,
    private readonly vault: HeaderVault,
  ) {}

  /** Never rejects. A result that cannot be written while the claim lasts is lost: the claim then expires. */
  async run(claimed: ClaimedAttempt): Promise<void> {
    const deadlineMs = claimed.heldUntil - performance.now() - MARGIN_MS;
    // Too late to finish under this claim: somebody else may hold it by the time an answer comes.
    if (deadlineMs <= MARGIN_MS) return this.giveBack(claimed);
    const started = performance.now();
    const outcome = await this.deliver(claimed, deadlineMs);
    this.metrics.tried(claimed, outcome, performance.now() - started);
    await this.write(claimed, () => this.settle(claimed, outcome));
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

  private async deliver(claimed: ClaimedAttempt, deadlineMs: number): Promise<TryOutcome> {
    try {
      return await this.send(claimed, deadlineMs);
    } catch (error) {
      this.logger.error(error instanceof Error ? error : new Error(String(error)));
      return failedTry('transient', 'internal_error');
    }
  }

  private async send(claimed: ClaimedAttempt, deadlineMs: number): Promise<TryOutcome> {
    if (!claimed.channelEnabled) return failedTry('refused', 'channel_disabled');
    // Of a version that knows more kinds than this one: it will see to it.
    if (!isChannelType(claimed.channelType)) return failedTry('unavailable', 'unsupported_channel_type');
    const stored = this.drivers.stored(claimed.channelType, claimed.configuration);
    if (stored === null) return failedTry('refused', 'destination_configuration_invalid');
    const { tryNumber, deliveredTo } = claimed;
    try {
      const entries = claimed.headers.map((header) => [header.name, this.vault.open(claimed, header)] as const);
      const protectedHeaders = Object.fromEntries(entries);
      const { driver, configuration } = stored;
      const message = {
        notification: notificationOf(claimed),
        configuration,
        tryNumber,
        protectedHeaders,
        deliveredTo,
      };
      return await driver.deliver(message, deadlineMs);
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) return failedTry('unavailable', 'cryptography_unavailable');
      if (error instanceof DecryptionError) return failedTry('refused', 'protected_header_unreadable');
      throw error;
    }
  }

  private async settle(claimed: ClaimedAttempt, outcome: TryOutcome): Promise<void> {
    const next = nextState(claimed, outcome, policyOf(claimed.configuration), randomFraction());
    if (await this.claims.settle(claimed, next, outcome, { isOwn: true })) return;
    if (await this.claims.isSettledBy(claimed)) return;
    this.metrics.leaseLost();
    this.logger.warn(`the claim on attempt ${claimed.id} had expired before the result of its try came`);
    await this.claims.recordLoss(claimed, outcome);
  }
}

function notificationOf(attempt: ClaimedAttempt): Notification {
  return {
    id: attempt.parentAttemptId ?? attempt.id,
    type: attempt.kind,
    attempt_id: attempt.id,
    project_id: attempt.projectId,
    channel_id: attempt.channelId,
    rule: attempt.rule,
    event: attempt.event,
    created_at: attempt.createdAt.toISOString(),
  };
}
