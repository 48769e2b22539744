import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

/** Finds the months that are old enough, by the clock of the database. */
@Injectable()
export class PastMonthsReader {
  constructor(private readonly database: Database) {}

  /** Returns the start of the UTC month that contains the instant `days` days ago. */
  async before(days: number): Promise<Date> {
    const [row] = await this.database.rows<{ from: Date }>(
      `SELECT date_trunc('month', now() - make_interval(hours => 24 * $1::int), 'UTC') AS from`,
      [days],
    );
    return row?.from ?? new Date(0);
  }
}
