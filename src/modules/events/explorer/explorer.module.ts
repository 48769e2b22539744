import { Module } from '@nestjs/common';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { TimeRangesModule } from '../time-ranges/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { DiscoveryModule } from '@nestjs/core';
import { EventReadsModule } from '../reads/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { SessionsModule } from '../../identity/sessions/index.js';
import { EventExportService } from './event-export.service.js';
import { ExplorerController } from './explorer.controller.js';
import { ExplorerService } from './explorer.service.js';
import { ExportLimits } from './export-limits.js';

@Module({
  imports: [
    IngestSourcesModule,
    DiscoveryModule,
    EventReadsModule,
    ProjectsModule,
    SessionsModule,
    EventStoreModule,
    TimeRangesModule,
  ],
  controllers: [ExplorerController],
  providers: [ExplorerService, EventExportService, ExportLimits],
})
export class ExplorerModule {}
