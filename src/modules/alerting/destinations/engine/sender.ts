import { Injectable, Logger } from '@nestjs/common';
import { failedTry, type TryOutcome, untilWritten } from '../../../delivery/sending/index.js';
import { nextDelivery } from '../deliveries/transitions.js';
import { Courier } from '../notices/courier.js';
import { AlertDeliveryMetrics } from './alert-delivery-metrics.js';
import { ClaimsRepository, type HeldDelivery } from './claims.repository.js';

/** For everything together (SERVICE 8.3). */
const DEADLINE_MS = 5_000;
/** Kept between the longest a try may take and the end of the lease, for the result to be written. */
const MARGIN_MS = 250;

/** Sends one claimed delivery and writes down what came of it. No transaction is open meanwhile. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('alert-deliveries');

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly courier: Courier,
    private readonly metrics: AlertDeliveryMetrics,
  ) {}

  /** Rejects only when the result could not be written while the claim lasted; the claim then expires. */
  async run(held: HeldDelivery): Promise<void> {
    const leftMs = held.heldUntil - performance.now() - MARGIN_MS;
    // Too late to finish under this claim: somebody else may hold it by the time an answer comes.
    if (leftMs <= MARGIN_MS) return this.giveBack(held);
    const started = performance.now();
    const outcome = await this.send(held, Math.min(DEADLINE_MS, leftMs));
    this.metrics.tried(outcome, performance.now() - started);
    await untilWritten(held.heldUntil, () => this.settle(held, outcome));
  }

  async giveBack(held: HeldDelivery): Promise<void> {
    await untilWritten(held.heldUntil, () => this.claims.giveBack(held));
  }

  private async send({ id: deliveryId, destination, notice }: HeldDelivery, deadlineMs: number): Promise<TryOutcome> {
    if (destination === null) return failedTry('refused', 'destination_deleted');
    if (!destination.isEnabled) return failedTry('refused', 'destination_disabled');
    try {
      return await this.courier.send({ destination, notice, deliveryId, deadlineMs });
    } catch (error) {
      this.logger.error(error instanceof Error ? error : new Error(String(error)));
      return failedTry('transient', 'internal_error');
    }
  }

  private async settle(held: HeldDelivery, outcome: TryOutcome): Promise<void> {
    if (await this.claims.settle(held, nextDelivery(held, outcome), outcome)) return;
    if (await this.claims.isSettledBy(held)) return;
    this.metrics.leaseLost();
    this.logger.warn(`the claim on alert delivery ${held.id} had expired before the result of its try came`);
  }
}
