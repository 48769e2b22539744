import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { EventRetentionModule } from '../retention/index.js';
import { AskedWindows } from './asked-windows.js';
import { ColdEdgesReader } from './cold-edges.reader.js';
import { LatenciesReader } from './latencies.reader.js';
import { EventTotalsReader } from './totals.reader.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  imports: [EventRetentionModule, EventStoreModule],
  providers: [
    AskedWindows,
    ColdEdgesReader,
    EventTotalsReader,
    EventTotalsRepository,
    LatenciesReader,
    belongsToProject(EventTotalsRepository),
  ],
  exports: [AskedWindows, ColdEdgesReader, EventTotalsReader, LatenciesReader],
})
export class EventTotalsModule {}
