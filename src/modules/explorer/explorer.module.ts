import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventTotalsModule } from '../event-totals/index.js';
import { EventsModule } from '../events/index.js';
import { ProjectsModule } from '../projects/index.js';
import { SessionsModule } from '../sessions/index.js';
import { EventExport } from './event-export.service.js';
import { ExplorerController } from './explorer.controller.js';
import { ExplorerRepository } from './explorer.repository.js';
import { ExplorerService } from './explorer.service.js';
import { ExportPatience } from './export-patience.js';

@Module({
  imports: [DiscoveryModule, EventsModule, EventTotalsModule, ProjectsModule, SessionsModule],
  controllers: [ExplorerController],
  providers: [ExplorerService, ExplorerRepository, EventExport, ExportPatience],
})
export class ExplorerModule {}
