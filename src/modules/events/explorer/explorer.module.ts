import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventTotalsModule } from '../totals/index.js';
import { EventReadsModule } from '../reads/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { SessionsModule } from '../../identity/sessions/index.js';
import { EventExportService } from './event-export.service.js';
import { ExplorerController } from './explorer.controller.js';
import { ExplorerRepository } from './explorer.repository.js';
import { ExplorerService } from './explorer.service.js';
import { ExportLimits } from './export-limits.js';

@Module({
  imports: [DiscoveryModule, EventReadsModule, EventTotalsModule, ProjectsModule, SessionsModule],
  controllers: [ExplorerController],
  providers: [ExplorerService, ExplorerRepository, EventExportService, ExportLimits],
})
export class ExplorerModule {}
