import { Inject, Injectable } from '@nestjs/common';
import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import { Database } from '../../../../platform/database/database.js';
import { EVENT_SERVER } from '../event-server.js';

/** How far the copy of the events is behind. */
@Injectable()
export class CopyLagReader {
  constructor(
    private readonly database: Database,
    @Inject(EVENT_SERVER) private readonly server: ClickHouse | null,
  ) {}

  /**
   * For how long the oldest event that is not copied has been stored, by the clock of the database; 0 when all are. Null: no
   * server is configured here.
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
