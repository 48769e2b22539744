import { Inject, Injectable } from '@nestjs/common';
import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import { Database } from '../../../../platform/database/database.js';
import { CLICKHOUSE_SERVER } from '../clickhouse-server.js';

/** Measures the replication lag. */
@Injectable()
export class ReplicationLagReader {
  constructor(
    private readonly database: Database,
    @Inject(CLICKHOUSE_SERVER) private readonly server: ClickHouse | null,
  ) {}

  /**
   * Returns for how many seconds the oldest event that is not replicated yet has been stored, by the clock of the
   * database. 0 when all are replicated. Null when no ClickHouse is configured.
   */
  async seconds(): Promise<number | null> {
    if (this.server === null) return null;
    const [row] = await this.database.rows<{ seconds: number }>(
      `SELECT /* every tenant: the oldest */ extract(epoch FROM clock_timestamp() - s.stored_at)::float8 AS seconds
       FROM event_shipments s ORDER BY s.position LIMIT 1`,
    );
    return Math.max(row?.seconds ?? 0, 0);
  }
}
