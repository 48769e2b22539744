import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';

/** Months made ahead of now; a month before it is made too while the default partition has none of its rows. */
const MONTHS_AHEAD = 3;
const PARTITION_LOCK = 7_355_609;

/** Keeps the monthly partitions of `events` ahead of time. Older events live in the default partition. */
@Injectable()
export class PartitionMaintenance extends Upkeep implements OnModuleInit {
  private readonly logger = new Logger('partitions');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Before the first request, so that no event of this month can reach the default partition first. */
  async onModuleInit(): Promise<void> {
    await this.ensure();
  }

  async upkeep(): Promise<number> {
    return (await this.ensure()).length;
  }

  /** Idempotent; several processes may call it at once. @returns names of the partitions made */
  async ensure(): Promise<string[]> {
    const made: string[] = [];
    const now = this.clock.now();
    for (let offset = -1; offset <= MONTHS_AHEAD; offset += 1) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 1));
      const name = `events_${from.toISOString().slice(0, 7).replace('-', '_')}`;
      if (await this.makeMonth(name, from, to)) made.push(name);
    }
    if (made.length > 0) this.logger.log(`made ${made.join(', ')}`);
    return made;
  }

  private makeMonth(name: string, from: Date, to: Date): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.database.execute('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK], tx);
      const [made] = await this.database.rows<{ exists: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS exists',
        [name],
        tx,
      );
      if (made?.exists === true) return false;
      // Only for a missing month: this look reads the whole default partition.
      const taken = await this.database.rows(
        'SELECT 1 FROM events_default WHERE "timestamp" >= $1 AND "timestamp" < $2 LIMIT 1',
        [from, to],
        tx,
      );
      if (taken.length > 0) {
        this.logger.warn(`${name} was not made: the default partition already holds events of that month`);
        return false;
      }
      // Bounds of DDL cannot be parameters; both come from Date and cannot hold a quote.
      await this.database.execute(
        `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
        [],
        tx,
      );
      return true;
    });
  }
}
