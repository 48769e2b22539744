import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import type { TimeWindow } from '../totals/coverage.js';

const DAY_MS = 86_400_000;
/** The list of indexed months is cached for this time. */
const TRUST_MS = 60_000;
const MONTH = /^events_(\d{4})_(\d{2})$/;
const indexName = (partition: string): string => `ix_${partition}_log_text`;

interface Partition {
  readonly name: string;
  /** True when the month has a usable index, false when its build was interrupted, null when there is no index. */
  readonly valid: boolean | null;
}

/**
 * Trigram indexes of the columns that the text search of the logs reads. Maintaining them for every event would more
 * than halve the speed of ingestion, so a month gets its index once it is over. The current month is read row by row.
 */
@Injectable()
export class LogSearchIndexWriter {
  private readonly logger = new Logger('logs');
  private known: { readonly until: number; readonly months: Promise<TimeWindow[]> } | undefined;
  private saidMissing = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Months that have their index, newest first. */
  months(): Promise<TimeWindow[]> {
    const now = this.clock.now().getTime();
    if (this.known !== undefined && this.known.until > now) return this.known.months;
    const months = this.partitions().then((all) =>
      all.filter(({ valid }) => valid === true).map(({ name }) => windowOf(name)),
    );
    this.known = { until: now + TRUST_MS, months };
    months.catch(() => (this.known = undefined));
    return months;
  }

  /** Builds the missing indexes. Events can be stored and read meanwhile. @returns the number of built indexes */
  async build(): Promise<number> {
    if ((await this.missing()).length === 0) return 0;
    const built = await this.database.maintain('log search indexes', async (execute) => {
      // Read again: another process may have built indexes before this process acquired the lock.
      const missing = await this.missing();
      if (missing.length === 0 || !(await this.hasTrigrams())) return 0;
      for (const { name, valid } of missing) {
        // The names are safe in SQL. They come from the catalogue and match `MONTH`, which allows no quotes.
        if (valid === false) await execute(`DROP INDEX ${indexName(name)}`);
        await execute(
          `CREATE INDEX CONCURRENTLY ${indexName(name)} ON ${name}
           USING gin (log_endpoint gin_trgm_ops, event gin_trgm_ops, log_method gin_trgm_ops)`,
        );
        this.logger.log(`made the search index of ${name}`);
      }
      return missing.length;
    });
    this.known = undefined;
    return built ?? 0;
  }

  /** Months that have been over for a day and have no index. */
  private async missing(): Promise<Partition[]> {
    const now = this.clock.now().getTime();
    return (await this.partitions()).filter(
      ({ name, valid }) => valid !== true && windowOf(name).to.getTime() + DAY_MS < now,
    );
  }

  private async partitions(): Promise<Partition[]> {
    const rows = await this.database.rows<Partition>(
      `SELECT c.relname AS name, i.indisvalid AS valid
       FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
       LEFT JOIN pg_index i ON i.indexrelid = to_regclass('ix_' || c.relname || '_log_text')
       WHERE h.inhparent = 'events'::regclass`,
    );
    return rows.filter(({ name }) => MONTH.test(name)).sort((a, b) => (a.name < b.name ? 1 : -1));
  }

  /** The extension comes with PostgreSQL, but a server may lack it or forbid it; searches then read every row. */
  private async hasTrigrams(): Promise<boolean> {
    try {
      await this.database.execute('CREATE EXTENSION IF NOT EXISTS pg_trgm');
      return true;
    } catch (error) {
      if (!this.saidMissing) this.logger.warn(`log searches do without indexes: ${String(error)}`);
      this.saidMissing = true;
      return false;
    }
  }
}

function windowOf(partition: string): TimeWindow {
  const [, year = '', month = ''] = MONTH.exec(partition) ?? [];
  return {
    from: new Date(Date.UTC(Number(year), Number(month) - 1, 1)),
    to: new Date(Date.UTC(Number(year), Number(month), 1)),
  };
}
