import type { ProjectScope } from '../../access/index.js';
import type { TimeWindow } from '../event-store/index.js';

/** Provided by whoever raises alerts; without one no alert is open. */
export abstract class OpenAlerts {
  /** How many alert events of the project are open now. */
  abstract countOpen(scope: ProjectScope): Promise<number>;
}

export interface DeliveryTotals {
  readonly sent: number;
  readonly failed: number;
  /** Of the failed, those in the dead-letter queue. */
  readonly dlq: number;
}

/** Provided by whoever delivers; without one nothing was delivered. */
export abstract class DeliveryCounts {
  /** Attempts made in the window. */
  abstract count(scope: ProjectScope, window: TimeWindow): Promise<DeliveryTotals>;
}
