import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { failedTry } from '../../../delivery/sending/index.js';
import { nextDelivery } from '../deliveries/transitions.js';
import { AlertDeliveryMetrics } from './alert-delivery-metrics.js';
import { ClaimsRepository } from './claims.repository.js';

const BATCH = 100;

/**
 * Ends claims whose holder died. Nobody knows whether the receiver got it: the try counts as a failed one, so a
 * delivery that kills its workers uses up its tries.
 */
@Injectable()
export class ExpiredClaims {
  private readonly logger = new Logger('alert-deliveries');

  constructor(
    private readonly database: Database,
    private readonly claims: ClaimsRepository,
    private readonly metrics: AlertDeliveryMetrics,
  ) {}

  /** @returns how many there were */
  async settle(): Promise<number> {
    let settled = 0;
    for (let count = BATCH; count === BATCH; settled += count) count = await this.settleBatch();
    if (settled > 0) {
      this.metrics.claimsExpired(settled);
      this.logger.warn(`${settled} claims on alert deliveries expired: their holders did not come back`);
    }
    return settled;
  }

  private settleBatch(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const expired = await this.claims.expired(BATCH, tx);
      const outcome = failedTry('transient', 'lease_expired');
      for (const held of expired) await this.claims.settle(held, nextDelivery(held, outcome), outcome, tx);
      return expired.length;
    });
  }
}
