import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { failedTry } from '../../sending/index.js';
import { nextState } from '../attempts/transitions.js';
import { policyOf } from '../drivers/channel-configuration.js';
import { ClaimsRepository } from './claims.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { randomFraction } from './random-fraction.js';

const BATCH = 100;

/**
 * Ends claims whose holder died. Nobody knows whether the receiver got it: the try counts as a transient failure, so an
 * attempt that kills its workers uses up its retries and ends among the dead letters.
 */
@Injectable()
export class ExpiredClaims {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly database: Database,
    private readonly claims: ClaimsRepository,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** @returns how many there were */
  async settle(): Promise<number> {
    let settled = 0;
    for (let count = BATCH; count === BATCH; settled += count) count = await this.settleBatch();
    if (settled > 0) {
      this.metrics.claimsExpired(settled);
      this.logger.warn(`${settled} claims expired: their holders did not come back`);
    }
    return settled;
  }

  private settleBatch(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const expired = await this.claims.expired(BATCH, tx);
      const outcome = failedTry('transient', 'lease_expired');
      for (const claim of expired) {
        const next = nextState(claim, outcome, policyOf(claim.configuration), randomFraction());
        await this.claims.settle(claim, next, outcome, { isOwn: false }, tx);
      }
      return expired.length;
    });
  }
}
