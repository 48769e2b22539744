import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PaymentEventsRepository } from './payment-events.repository.js';

const MOST_ROWS = 5_000;

/**
 * Deletes events of the provider after 90 days. The provider repeats an event automatically for days, and by hand for a
 * month. An event that came even later would not be detected as a duplicate, but would be older than the known state of
 * its subscription.
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
