import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PaymentEventsRepository } from './payment-events.repository.js';

const MOST_ROWS = 5_000;

/**
 * Forgets events of the provider after 90 days. It repeats an event for days, by hand for a month; one that came even
 * later would be no duplicate any more, but still older than what is known of its subscription.
 */
@Injectable()
export class PaymentEventExpiry extends MaintenanceTask {
  constructor(private readonly events: PaymentEventsRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.events.forgetOld(MOST_ROWS);
  }
}
