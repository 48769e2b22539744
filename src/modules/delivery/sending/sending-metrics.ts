import { within } from '../../../platform/concurrency/index.js';
import type { Metrics } from '../../../platform/telemetry/index.js';
import type { ClaimedRow } from './outbox-table.js';
import type { SendingProfile } from './outbox.js';
import type { TryOutcome } from './try-outcome.js';

/** The time limit of one reading of the backlog. A later scrape reads it again. */
const READ_LIMIT_MS = 2_000;

/** Returns the values of the gauges when they are scraped. */
interface Readings {
  readonly inFlight: () => number;
  readonly backlog: () => Promise<{ readonly due: number; readonly oldestSeconds: number }>;
}

/**
 * The metrics of an outbox: `<prefix>_backlog`, `_oldest_due_seconds`, `_in_flight`, the outcomes and durations of
 * sends (`_outcomes_total`, `_try_seconds`), and lost claims (`_lost_leases_total`, `_expired_claims_total`).
 */
export class SendingMetrics<C extends ClaimedRow> {
  private readonly outcomes;
  private readonly seconds;
  private readonly lost;
  private readonly expired;

  constructor(
    metrics: Metrics,
    private readonly profile: SendingProfile<C>['metrics'],
    { inFlight, backlog }: Readings,
  ) {
    const { prefix, one, many, labels } = profile;
    const lost = 'Tries whose claim had expired before their result came';
    this.outcomes = metrics.counter(`${prefix}_outcomes_total`, 'Tries by what they came to', [...labels, 'outcome']);
    this.seconds = metrics.histogram(`${prefix}_try_seconds`, 'How long a try took', labels);
    this.lost = metrics.counter(`${prefix}_lost_leases_total`, lost);
    this.expired = metrics.counter(`${prefix}_expired_claims_total`, 'Claims whose holder did not come back in time');
    metrics.gauge(`${prefix}_in_flight`, `${many} under way in this process`, [], (gauge) => gauge.set(inFlight()));
    const read = shared(backlog);
    metrics.gauge(`${prefix}_backlog`, `${many} that are due and not claimed`, [], async (gauge) => {
      gauge.set((await read()).due);
    });
    metrics.gauge(`${prefix}_oldest_due_seconds`, `How long the oldest due ${one} waits`, [], async (gauge) => {
      gauge.set((await read()).oldestSeconds);
    });
  }

  tried(claimed: C, { kind }: Pick<TryOutcome, 'kind'>, ms: number): void {
    const labels = this.profile.labelsOf(claimed);
    this.outcomes.inc({ ...labels, outcome: kind });
    this.seconds.observe(labels, ms / 1_000);
  }

  leaseLost(): void {
    this.lost.inc();
  }

  claimsExpired(count: number): void {
    this.expired.inc(count);
  }
}

/** Returns a function whose concurrent callers share one call: two gauges of one scrape report the same moment. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () =>
    (asking ??= within(READ_LIMIT_MS, ask(), () => new Error('no backlog in time')).finally(
      () => (asking = undefined),
    ));
}
