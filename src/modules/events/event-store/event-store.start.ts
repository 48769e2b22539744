import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config, ConfigError } from '../../../config/index.js';
import { type ClickHouse, shortReason, SilentServer } from '../../../platform/clickhouse/index.js';
import { within } from '../../../platform/concurrency/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { HotEvents } from './retention/hot-events.js';
import { CLICKHOUSE_SERVER } from './clickhouse-server.js';
import { ReplicationLagReader } from './replication/replication-lag.reader.js';
import { ReplicationLimits } from './replication/replication-limits.js';
import { ReplicationStateRepository } from './replication/replication-state.repository.js';
import { ClickHouseSchema } from './clickhouse-schema/clickhouse-schema.js';
import { ClickHouseSchemaRepository } from './clickhouse-schema/clickhouse-schema.repository.js';

/**
 * Checks ClickHouse when the process starts. A fault of the configuration ends the start. A server that is unavailable
 * does not end the start. From then on every event is queued until it is replicated.
 */
@Injectable()
export class EventStoreStart implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('event-store');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly hot: HotEvents,
    @Inject(CLICKHOUSE_SERVER) private readonly server: ClickHouse | null,
    private readonly lag: ReplicationLagReader,
    private readonly replicationState: ReplicationStateRepository,
    private readonly metrics: Metrics,
    private readonly limits: ReplicationLimits,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.needReads();
    if (this.server === null) return this.warnOfKept();
    await this.prepareTables(this.server);
    await this.replicationState.begin();
    this.metrics.gauge(
      'oes_event_shipping_lag_seconds',
      'How long the oldest event that is not copied to the event store has been stored',
      [],
      async (gauge) => gauge.set((await this.lag.seconds()) ?? Number.NaN),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  /** @throws ConfigError when months exist only in ClickHouse and reads are configured to come from PostgreSQL */
  private async needReads(): Promise<void> {
    const hotFrom = await this.hot.from();
    if (hotFrom === null || this.config.eventReads === 'clickhouse') return;
    throw new ConfigError([
      `EVENT_STORE must be clickhouse: events before ${hotFrom.toISOString()} are in ClickHouse alone`,
    ]);
  }

  private async prepareTables(server: ClickHouse): Promise<void> {
    const tables = new ClickHouseSchema(new ClickHouseSchemaRepository(server), () =>
      this.replicationState.markIncomplete(),
    );
    try {
      await within(this.limits.startCheckMs, tables.prepare(), () => new SilentServer());
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      this.logger.warn(`ClickHouse cannot be asked, events are copied later: ${shortReason(error)}`);
    }
  }

  private async warnOfKept(): Promise<void> {
    if (!(await this.replicationState.isBegun())) return;
    this.logger.warn(
      'events are kept for an event store, and CLICKHOUSE_URL is not set: set it, or have them kept no longer by SELECT end_event_shipping()',
    );
  }
}
