import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { EventTracesWriter, UniqueEventsWriter } from '../../event-store/index.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';

const MOST_ROWS = 5_000;
/**
 * The maximum number of statements per kind of row in a round. The next round removes the remaining rows. New rows
 * arrive no faster than the rounds remove rows.
 */
const MOST_STATEMENTS = 100;

/** Deletes expired idempotency records, unique keys of events, and traces of events. */
@Injectable()
export class ExpiredRows extends MaintenanceTask {
  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly uniqueEvents: UniqueEventsWriter,
    private readonly traces: EventTracesWriter,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    let removed = 0;
    for (const rows of [this.records, this.uniqueEvents, this.traces])
      removed += await removeAll((limit) => rows.removeExpired(limit));
    return removed;
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
