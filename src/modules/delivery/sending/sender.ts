import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ClaimedRow, Held, NextTry } from './outbox-table.js';
import type { Outbox } from './outbox.js';
import type { SendingMetrics } from './sending-metrics.js';
import { failedTry, type TryOutcome } from './try-outcome.js';
import { traced } from '../../../platform/telemetry/index.js';
import { asError } from '../../../platform/errors/index.js';

/** Time between the deadline of a send and the end of the lease, in which the result is stored. */
const MARGIN_MS = 250;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** Sends one claimed row and stores the outcome. No transaction is open during the send. */
export class Sender<X extends Held, C extends X & ClaimedRow> {
  private readonly logger: Logger;

  constructor(
    private readonly outbox: Outbox<X, C>,
    private readonly metrics: SendingMetrics<C>,
    /** Called when the result of a send is stored. */
    private readonly onSettled: (claimed: C, next: NextTry) => void,
  ) {
    this.logger = new Logger(outbox.profile.log.context);
  }

  /** Sends the row. Never rejects. A result that cannot be stored during the claim is lost, and the claim expires. */
  async run(claimed: C): Promise<void> {
    const deadlineMs = claimed.heldUntil - performance.now() - MARGIN_MS;
    // The lease is too short for a send: another process may hold the row by the time an answer comes.
    if (deadlineMs <= MARGIN_MS) return this.giveBack(claimed);
    const started = performance.now();
    const outcome = await this.send(claimed, deadlineMs);
    this.metrics.tried(claimed, outcome, performance.now() - started);
    await this.write(claimed, () => this.settle(claimed, outcome));
  }

  /** Undoes a claim under which nothing was sent. Never rejects. */
  giveBack(claimed: C): Promise<void> {
    return this.write(claimed, () => this.outbox.claims.giveBack(claimed));
  }

  /** Retries the write, not the send, for as long as the claim lasts: the database may be unavailable for a while. */
  private async write({ id, heldUntil }: C, result: () => Promise<void>): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await result();
      } catch (error) {
        if (performance.now() + waitMs >= heldUntil) {
          const { row } = this.outbox.profile.log;
          return this.logger.error(`the result of ${row} ${id} could not be written: ${String(error)}`);
        }
        await pause(waitMs);
      }
    }
  }

  private async send(claimed: C, deadlineMs: number): Promise<TryOutcome> {
    try {
      return await traced(
        { kind: 'consumer', name: `send ${this.outbox.profile.log.row}`, parent: claimed.traceparent ?? undefined },
        () => this.outbox.send(claimed, deadlineMs),
      );
    } catch (error) {
      this.logger.error(asError(error));
      return failedTry('transient', 'internal_error');
    }
  }

  private async settle(claimed: C, outcome: TryOutcome): Promise<void> {
    const { claims, profile } = this.outbox;
    const next = await claims.settle(claimed, outcome, 'holder');
    if (next !== null) return this.onSettled(claimed, next);
    if (await claims.isSettledBy(claimed)) return;
    this.metrics.leaseLost();
    this.logger.warn(`the claim on ${profile.log.row} ${claimed.id} had expired before the result of its try came`);
    await this.outbox.recordLoss?.(claimed, outcome);
  }
}
