import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { UniqueEventsWriter } from '../../event-store/index.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';

const MOST_ROWS = 5_000;
/** The next round removes the remaining rows. New rows arrive no faster than the rounds remove them. */
const MOST_STATEMENTS = 100;

/** Deletes idempotency records and unique keys of events that are older than 24 hours. */
@Injectable()
export class IdempotencyExpiry extends MaintenanceTask {
  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly uniqueEvents: UniqueEventsWriter,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    const removed = await removeAll((limit) => this.records.removeExpired(limit));
    return removed + (await removeAll((limit) => this.uniqueEvents.removeExpired(limit)));
  }
}

async function removeAll(remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (let statements = 0; statements < MOST_STATEMENTS; statements += 1) {
    const rows = await remove(MOST_ROWS);
    removed += rows;
    if (rows < MOST_ROWS) break;
  }
  return removed;
}
