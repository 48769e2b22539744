import { type FactoryProvider, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ClickHouse } from '../../../platform/clickhouse/index.js';
import { DATABASE_URL } from '../../../platform/database/database.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventRetentionModule } from './retention/retention.module.js';
import { CLICKHOUSE_SERVER, CLICKHOUSE_SERVER_PROVIDER } from './clickhouse-server.js';
import { EventStoreStart } from './event-store.start.js';
import { MonthArchiverProcessor } from './archiving/month-archiver.job.js';
import { MonthArchiver } from './archiving/month-archiver.js';
import { ArchivedEventsReader } from './reading/archived-events.reader.js';
import { ClickHouseEvents } from './reading/clickhouse-events.reader.js';
import { StagedEventsWriter } from './reading/staged-events.writer.js';
import { TailReader } from './reading/tail.reader.js';
import { ReplicationLagReader } from './replication/replication-lag.reader.js';
import { ReplicationLimits } from './replication/replication-limits.js';
import { ReplicaOfDeletedProjects } from './replication/replica-of-deleted-projects.js';
import { ReplicaRetention } from './replication/replica-retention.js';
import { Replicator } from './replication/replicator.js';
import { ReplicationLoop } from './replication/replication-loop.js';
import { ReplicationStateRepository } from './replication/replication-state.repository.js';

/** Replicates events, in processes that run workers and have a ClickHouse. */
const REPLICATION_LOOP: FactoryProvider<ReplicationLoop | null> = {
  provide: ReplicationLoop,
  inject: [CONFIG, CLICKHOUSE_SERVER, DATABASE_URL, Metrics, ReplicationStateRepository, ReplicationLimits],
  useFactory: (
    config: Config,
    server: ClickHouse | null,
    databaseUrl: string,
    metrics: Metrics,
    replicationState: ReplicationStateRepository,
    limits: ReplicationLimits,
  ) => {
    if (server === null || !config.process.runsWorkers) return null;
    return new ReplicationLoop(
      Replicator.between(databaseUrl, server, () => replicationState.markIncomplete(), limits),
      metrics,
    );
  },
};

/** Replicates all events to ClickHouse when CLICKHOUSE_URL is set. */
@Module({
  imports: [EventRetentionModule],
  providers: [
    ArchivedEventsReader,
    MonthArchiver,
    MonthArchiverProcessor,
    ClickHouseEvents,
    ReplicaOfDeletedProjects,
    ReplicaRetention,
    ReplicationLagReader,
    ReplicationLimits,
    CLICKHOUSE_SERVER_PROVIDER,
    EventStoreStart,
    StagedEventsWriter,
    REPLICATION_LOOP,
    TailReader,
    ReplicationStateRepository,
    belongsToProject(ReplicaOfDeletedProjects),
  ],
  exports: [
    ArchivedEventsReader,
    ClickHouseEvents,
    ReplicationLagReader,
    StagedEventsWriter,
    REPLICATION_LOOP,
    TailReader,
  ],
})
export class EventReplicationModule {}
