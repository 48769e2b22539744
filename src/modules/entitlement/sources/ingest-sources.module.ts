import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { HookAuthenticator } from '../../access/index.js';
import { ApiKeysModule } from '../api-keys/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { BrowserKeysController } from './browser-keys.controller.js';
import { SourceCatalogController } from './catalog/catalog.controller.js';
import { EventSource } from './event-source.entity.js';
import { EventSourcesController } from './event-sources.controller.js';
import { EventSourcesReader, ProjectOfSource } from './event-sources.reader.js';
import { EventSourcesRepository } from './event-sources.repository.js';
import { EventSourcesService } from './event-sources.service.js';
import { HOOK_SECRET, SourceHook } from './hooks/source-hook.entity.js';
import { SourceHookAuthenticator } from './hooks/source-hook.authenticator.js';
import { SourceHooksReader } from './hooks/source-hooks.reader.js';
import { SourceHooksRepository } from './hooks/source-hooks.repository.js';
import { SourceHooksService } from './hooks/source-hooks.service.js';
import { SourceFailuresController } from './source-failures.controller.js';
import { SourceKeysController } from './source-keys.controller.js';
import { SourceKeysService } from './source-keys.service.js';
import { SourceNamesReader } from './source-names.reader.js';
import { EventSourceSearch } from './event-source-search.reader.js';

/**
 * Manages the Event Sources of a project, with their keys and webhooks. The source-monitoring module, one layer above,
 * reports which events were received.
 */
@Module({
  imports: [
    ApiKeysModule,
    AuditModule,
    IngestionFailuresModule,
    ProjectsModule,
    TypeOrmModule.forFeature([EventSource, SourceHook]),
  ],
  controllers: [
    SourceCatalogController,
    EventSourcesController,
    SourceKeysController,
    BrowserKeysController,
    SourceFailuresController,
  ],
  providers: [
    EventSourceSearch,
    EventSourcesService,
    EventSourcesReader,
    EventSourcesRepository,
    SourceHooksService,
    SourceHooksReader,
    SourceHooksRepository,
    SourceHookAuthenticator,
    { provide: HookAuthenticator, useExisting: SourceHookAuthenticator },
    ...sealedColumns(HOOK_SECRET),
    SourceKeysService,
    SourceNamesReader,
    ProjectOfSource,
  ],
  exports: [EventSourcesReader, HookAuthenticator, ProjectOfSource, SourceHookAuthenticator, SourceNamesReader],
})
export class IngestSourcesModule {}
