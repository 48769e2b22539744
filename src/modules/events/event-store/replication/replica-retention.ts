import { Inject, Injectable, Logger } from '@nestjs/common';
import { type ClickHouse, shortReason } from '../../../../platform/clickhouse/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { LogThrottle } from '../../../../platform/telemetry/index.js';
import { RetainedEvents } from '../retention/retained-events.js';
import { CLICKHOUSE_SERVER } from '../clickhouse-server.js';
import { NO_MONTH } from '../clickhouse-schema/table-statements.js';
import { ReplicatedEventsRepository } from './replicated-events.repository.js';

/**
 * Removes replicated events past retention: drops their months, and deletes their rows from the partition without a
 * month.
 */
@Injectable()
export class ReplicaRetention extends MaintenanceTask {
  private readonly logger = new Logger('event-store');
  private readonly seldom = new LogThrottle();
  private readonly stored: ReplicatedEventsRepository | null;

  constructor(
    private readonly retained: RetainedEvents,
    @Inject(CLICKHOUSE_SERVER) server: ClickHouse | null,
  ) {
    super();
    this.stored = server === null ? null : new ReplicatedEventsRepository(server);
  }

  /** @returns the number of dropped months */
  async maintain(): Promise<number> {
    if (this.stored === null) return 0;
    const before = await this.retained.endedBefore();
    if (before === null) return 0;
    try {
      return await this.end(this.stored, before);
    } catch (error) {
      // The removal is retried when ClickHouse is available again.
      this.seldom.happened('retention', (times) =>
        this.logger.warn(`copies of old events stay: ${shortReason(error)}, ${times} times since the last such line`),
      );
      return 0;
    }
  }

  private async end(stored: ReplicatedEventsRepository, before: Date): Promise<number> {
    const first = before.toISOString().slice(0, 7).replace('-', '');
    let dropped = 0;
    for (const month of await stored.months()) {
      if (month === NO_MONTH) await stored.removeBefore(before);
      else if (month < first) {
        await stored.dropMonth(month);
        this.logger.log(`dropped the copies of ${month}`);
        dropped += 1;
      }
    }
    return dropped;
  }
}
