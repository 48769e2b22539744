import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyAuthenticator } from '../../access/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { onAccountDeleted } from '../../identity/users/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { ActiveKeysReader } from './active-keys.reader.js';
import { ApiKeyRecord } from './api-key.entity.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository, ProjectOfApiKey } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { BrowserIngestionMiddleware } from './browser-ingestion.middleware.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyChangesService } from './key-changes.service.js';
import { KeyIssuer } from './key-issuer.js';
import { KeyUseRecorder } from './key-use.recorder.js';
import { ApiKeySearch } from './api-key-search.reader.js';

@Module({
  imports: [AuditModule, IngestionFailuresModule, ProjectsModule, TypeOrmModule.forFeature([ApiKeyRecord])],
  controllers: [ApiKeysController],
  providers: [
    ApiKeySearch,
    ActiveKeysReader,
    ApiKeysService,
    ApiKeysRepository,
    BrowserIngestionMiddleware,
    KeyAdministrationService,
    KeyAuthenticator,
    KeyChangesService,
    KeyIssuer,
    KeyUseRecorder,
    belongsToProject(ApiKeysRepository),
    onAccountDeleted(ApiKeysRepository, (keys, userId, tx) => keys.forgetMaker(userId, tx)),
    ProjectOfApiKey,
    { provide: ApiKeyAuthenticator, useExisting: KeyAuthenticator },
  ],
  exports: [
    ActiveKeysReader,
    ApiKeyAuthenticator,
    ApiKeysService,
    BrowserIngestionMiddleware,
    KeyAuthenticator,
    KeyChangesService,
    KeyIssuer,
  ],
})
export class ApiKeysModule {}
