import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

const PARTITION_LOCK = 7_355_609;

/** One calendar month of UTC: from `from` up to `to`, which is left out. */
export interface PartitionMonth {
  /** `events_2026_03`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** The monthly partitions of `events`. */
@Injectable()
export class PartitionsWriter {
  constructor(private readonly database: Database) {}

  /** One process at a time. `taken`: the default partition has events of that month, so that it cannot be made. */
  make({ name, from, to }: PartitionMonth): Promise<'made' | 'there' | 'taken'> {
    return this.database.transaction(async (tx) => {
      await this.database.execute('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK], tx);
      const [made] = await this.database.rows<{ exists: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS exists',
        [name],
        tx,
      );
      if (made?.exists === true) return 'there';
      // Only for a missing month: this look reads the whole default partition.
      const taken = await this.database.rows(
        `SELECT /* every tenant: their events share partitions */ 1 FROM events_default
         WHERE "timestamp" >= $1 AND "timestamp" < $2 LIMIT 1`,
        [from, to],
        tx,
      );
      if (taken.length > 0) return 'taken';
      // Bounds of DDL cannot be parameters; both come from Date and cannot hold a quote.
      await this.database.execute(
        `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
        [],
        tx,
      );
      return 'made';
    });
  }
}
