import { Logger } from '@nestjs/common';
import type { Database } from '../../../platform/database/database.js';
import type { ClaimedRow, Held } from './outbox-table.js';
import type { Outbox } from './outbox.js';
import type { SendingMetrics } from './sending-metrics.js';
import { failedTry } from './try-outcome.js';

const BATCH = 100;

/**
 * Ends claims whose holder died. The receiver may or may not have the message. The send counts as a transient failure,
 * so a row that kills its workers uses up its retries and ends.
 */
export class ExpiredClaims<X extends Held, C extends X & ClaimedRow> {
  private readonly logger: Logger;

  constructor(
    private readonly outbox: Outbox<X, C>,
    private readonly database: Database,
    private readonly metrics: SendingMetrics<C>,
  ) {
    this.logger = new Logger(outbox.profile.log.context);
  }

  /** @returns how many claims were ended */
  async settle(): Promise<number> {
    let settled = 0;
    for (let count = BATCH; count === BATCH; settled += count) count = await this.settleBatch();
    if (settled > 0) {
      this.metrics.claimsExpired(settled);
      this.logger.warn(`${settled} ${this.outbox.profile.log.claims} expired: their holders did not come back`);
    }
    return settled;
  }

  private settleBatch(): Promise<number> {
    const { claims } = this.outbox;
    return this.database.transaction(async (tx) => {
      const expired = await claims.expired(BATCH, tx);
      const outcome = failedTry('transient', 'lease_expired');
      for (const held of expired) await claims.settle(held, outcome, 'expiry', tx);
      return expired.length;
    });
  }
}
