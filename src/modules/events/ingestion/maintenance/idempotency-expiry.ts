import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';

const MOST_ROWS = 5_000;
/** The next round removes the remaining rows. New rows arrive no faster than the rounds remove them. */
const MOST_STATEMENTS = 100;

/** Deletes idempotency records that are older than 24 hours. */
@Injectable()
export class IdempotencyExpiry extends MaintenanceTask {
  constructor(private readonly records: IdempotencyRecordsRepository) {
    super();
  }

  async maintain(): Promise<number> {
    let removed = 0;
    for (let statements = 0; statements < MOST_STATEMENTS; statements += 1) {
      const rows = await this.records.removeExpired(MOST_ROWS);
      removed += rows;
      if (rows < MOST_ROWS) break;
    }
    return removed;
  }
}
