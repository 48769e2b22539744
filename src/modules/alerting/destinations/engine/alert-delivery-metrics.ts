import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { shared, type TryOutcome } from '../../../delivery/sending/index.js';
import { ClaimsRepository } from './claims.repository.js';

/** What operators watch: the backlog, what becomes of tries, and claims that were lost. */
@Injectable()
export class AlertDeliveryMetrics {
  private readonly outcomes;
  private readonly seconds;
  private readonly lost;
  private readonly expired;

  constructor(metrics: Metrics, claims: ClaimsRepository) {
    this.outcomes = metrics.counter('alert_delivery_outcomes_total', 'Tries by what they came to', [
      'outcome',
    ] as const);
    this.seconds = metrics.histogram('alert_delivery_try_seconds', 'How long a try took');
    this.lost = metrics.counter(
      'alert_delivery_lost_leases_total',
      'Tries whose claim had expired before their result came',
    );
    this.expired = metrics.counter(
      'alert_delivery_expired_claims_total',
      'Claims whose holder did not come back in time',
    );
    const backlog = shared(() => claims.backlog());
    metrics.gauge('alert_delivery_backlog', 'Alert deliveries that are due and not claimed', [], async (gauge) => {
      gauge.set((await backlog()).due);
    });
    const oldest = 'How long the oldest due alert delivery waits';
    metrics.gauge('alert_delivery_oldest_due_seconds', oldest, [], async (gauge) => {
      gauge.set((await backlog()).oldestSeconds);
    });
  }

  tried({ kind }: Pick<TryOutcome, 'kind'>, ms: number): void {
    this.outcomes.inc({ outcome: kind });
    this.seconds.observe(ms / 1_000);
  }

  leaseLost(): void {
    this.lost.inc();
  }

  claimsExpired(count: number): void {
    this.expired.inc(count);
  }
}
