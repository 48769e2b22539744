import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { shared, type TryOutcome } from '../../sending/index.js';
import type { ClaimedAttempt } from './claims.repository.js';
import { ClaimsRepository } from './claims.repository.js';

/** What operators watch: the backlog, what becomes of tries, and claims that were lost. */
@Injectable()
export class DeliveryMetrics {
  private readonly outcomes;
  private readonly seconds;
  private readonly lost;
  private readonly expired;

  constructor(metrics: Metrics, claims: ClaimsRepository) {
    this.outcomes = metrics.counter('delivery_outcomes_total', 'Tries by what they came to', [
      'channel_type',
      'outcome',
    ] as const);
    this.seconds = metrics.histogram('delivery_try_seconds', 'How long a try took', ['channel_type'] as const);
    this.lost = metrics.counter('delivery_lost_leases_total', 'Tries whose claim had expired before their result came');
    this.expired = metrics.counter('delivery_expired_claims_total', 'Claims whose holder did not come back in time');
    const backlog = shared(() => claims.backlog());
    metrics.gauge('delivery_backlog', 'Deliveries that are due and not claimed', [], async (gauge) => {
      gauge.set((await backlog()).due);
    });
    metrics.gauge('delivery_oldest_due_seconds', 'How long the oldest due delivery waits', [], async (gauge) => {
      gauge.set((await backlog()).oldestSeconds);
    });
  }

  tried({ channelType }: Pick<ClaimedAttempt, 'channelType'>, { kind }: Pick<TryOutcome, 'kind'>, ms: number): void {
    this.outcomes.inc({ channel_type: channelType, outcome: kind });
    this.seconds.observe({ channel_type: channelType }, ms / 1_000);
  }

  leaseLost(): void {
    this.lost.inc();
  }

  claimsExpired(count: number): void {
    this.expired.inc(count);
  }
}
