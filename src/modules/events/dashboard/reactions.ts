import type { ProjectScope } from '../../access/index.js';
import type { TimeWindow } from '../event-store/index.js';

/** A port that the alerts module implements. Without an implementation, no alert is open. */
export abstract class OpenAlerts {
  /** Returns how many alert events of the project are open now. */
  abstract countOpen(scope: ProjectScope): Promise<number>;
}

export interface DeliveryTotals {
  readonly sent: number;
  readonly failed: number;
  /** The number of failed attempts that are in the dead-letter queue. */
  readonly dlq: number;
}

/** A port that the deliveries module implements. Without an implementation, all counts are 0. */
export abstract class DeliveryCounts {
  /** Counts the delivery attempts that began in the window. */
  abstract count(scope: ProjectScope, window: TimeWindow): Promise<DeliveryTotals>;
}
