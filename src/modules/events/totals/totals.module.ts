import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventRetentionModule } from '../retention/index.js';
import { AskedWindows } from './asked-windows.js';
import { LatenciesReader } from './latencies.reader.js';
import { EventTotalsReader } from './totals.reader.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  imports: [EventRetentionModule],
  providers: [
    AskedWindows,
    EventTotalsReader,
    EventTotalsRepository,
    LatenciesReader,
    belongsToProject(EventTotalsRepository),
  ],
  exports: [AskedWindows, EventTotalsReader, LatenciesReader],
})
export class EventTotalsModule {}
