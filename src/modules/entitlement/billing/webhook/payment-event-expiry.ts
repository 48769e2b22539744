import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';

const MOST_ROWS = 5_000;

/**
 * Forgets events of the provider after 90 days. It repeats an event for days, by hand for a month; one that came even
 * later would be no duplicate any more, but still older than what is known of its subscription.
 */
@Injectable()
export class PaymentEventExpiry extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  upkeep(): Promise<number> {
    return this.database.execute(
      `DELETE FROM payment_events WHERE id = ANY (ARRAY(
         SELECT id FROM payment_events WHERE received_at < now() - interval '90 days'
         ORDER BY received_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [MOST_ROWS],
    );
  }
}
