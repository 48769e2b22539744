import { type FactoryProvider, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ClickHouse } from '../../../platform/clickhouse/index.js';
import { DATABASE_URL } from '../../../platform/database/database.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventRetentionModule } from './retention/retention.module.js';
import { EVENT_SERVER, EVENT_SERVER_PROVIDER } from './event-server.js';
import { EventStoreStart } from './event-store.start.js';
import { ColdMonthsProcessor } from './keeping/cold-months.job.js';
import { ColdMonths } from './keeping/cold-months.js';
import { ColdEventsReader } from './reading/cold-events.reader.js';
import { CopiedEventsReader } from './reading/copied-events.reader.js';
import { LentEventsWriter } from './reading/lent-events.writer.js';
import { UncopiedEventsReader } from './reading/uncopied-events.reader.js';
import { CopyLagReader } from './shipping/copy-lag.reader.js';
import { CopyLimits } from './shipping/copy-limits.js';
import { CopiesOfDeletedProjects } from './shipping/copies-of-deleted-projects.js';
import { CopiesOfEndedEvents } from './shipping/copies-of-ended-events.js';
import { Shipper } from './shipping/shipper.js';
import { ShippingLoop } from './shipping/shipping-loop.js';
import { WaitingEventsRepository } from './shipping/waiting-events.repository.js';

/** Replicates events, in processes that run workers and have a ClickHouse. */
const SHIPPING: FactoryProvider<ShippingLoop | null> = {
  provide: ShippingLoop,
  inject: [CONFIG, EVENT_SERVER, DATABASE_URL, Metrics, WaitingEventsRepository, CopyLimits],
  useFactory: (
    config: Config,
    server: ClickHouse | null,
    databaseUrl: string,
    metrics: Metrics,
    waiting: WaitingEventsRepository,
    limits: CopyLimits,
  ) => {
    if (server === null || !config.process.runsWorkers) return null;
    return new ShippingLoop(
      Shipper.between(databaseUrl, server, () => waiting.doubt(), limits),
      metrics,
    );
  },
};

/** Replicates all events to ClickHouse when CLICKHOUSE_URL is set. */
@Module({
  imports: [EventRetentionModule],
  providers: [
    ColdEventsReader,
    ColdMonths,
    ColdMonthsProcessor,
    CopiedEventsReader,
    CopiesOfDeletedProjects,
    CopiesOfEndedEvents,
    CopyLagReader,
    CopyLimits,
    EVENT_SERVER_PROVIDER,
    EventStoreStart,
    LentEventsWriter,
    SHIPPING,
    UncopiedEventsReader,
    WaitingEventsRepository,
    belongsToProject(CopiesOfDeletedProjects),
  ],
  exports: [ColdEventsReader, CopiedEventsReader, CopyLagReader, LentEventsWriter, SHIPPING, UncopiedEventsReader],
})
export class EventCopiesModule {}
