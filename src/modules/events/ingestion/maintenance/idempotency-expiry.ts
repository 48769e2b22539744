import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';

const MOST_ROWS = 5_000;
/** The rest is the next round's: rows come at most as fast as this lets them go. */
const MOST_STATEMENTS = 100;

/** Ends idempotency records after 24 hours (SERVICE 8.3). */
@Injectable()
export class IdempotencyExpiry extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  async upkeep(): Promise<number> {
    let removed = 0;
    for (let statements = 0; statements < MOST_STATEMENTS; statements += 1) {
      const rows = await this.database.execute(
        `DELETE FROM idempotency_records WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM idempotency_records WHERE created_at < now() - interval '24 hours'
           ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
        [MOST_ROWS],
      );
      removed += rows;
      if (rows < MOST_ROWS) break;
    }
    return removed;
  }
}
