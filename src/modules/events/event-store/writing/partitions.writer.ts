import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

const PARTITION_LOCK = 7_355_609;

/** One UTC calendar month. `from` is included, `to` is not. */
export interface PartitionMonth {
  /** For example `events_2026_03`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** The monthly partitions of `events`. */
@Injectable()
export class PartitionsWriter {
  constructor(private readonly database: Database) {}

  /**
   * Creates a partition, in one process at a time. `taken`: the default partition has events of that month, which
   * prevents the creation.
   */
  make({ name, from, to }: PartitionMonth): Promise<'made' | 'there' | 'taken'> {
    return this.database.transaction(async (tx) => {
      await this.database.execute('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK], tx);
      const [made] = await this.database.rows<{ exists: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS exists',
        [name],
        tx,
      );
      if (made?.exists === true) return 'there';
      // Only checked for a missing month, because this statement reads the whole default partition.
      const taken = await this.database.rows(
        `SELECT /* every tenant: their events share partitions */ 1 FROM events_default
         WHERE "timestamp" >= $1 AND "timestamp" < $2 LIMIT 1`,
        [from, to],
        tx,
      );
      if (taken.length > 0) return 'taken';
      // DDL cannot have parameters. The text of a Date cannot contain a quote.
      await this.database.execute(
        `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
        [],
        tx,
      );
      return 'made';
    });
  }
}
