import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyAuthenticator } from '../../access/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { onAccountDeleted } from '../../identity/users/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { ApiKeyRecord } from './api-key.entity.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository, ProjectOfApiKey } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { BrowserIngestion } from './browser-ingestion.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyChanges } from './key-changes.js';
import { KeyIssuer } from './key-issuer.js';
import { KeyUse } from './key-use.js';

@Module({
  imports: [AuditModule, IngestionFailuresModule, ProjectsModule, TypeOrmModule.forFeature([ApiKeyRecord])],
  controllers: [ApiKeysController],
  providers: [
    ApiKeysService,
    ApiKeysRepository,
    BrowserIngestion,
    KeyAuthenticator,
    KeyChanges,
    KeyIssuer,
    KeyUse,
    belongsToProject(ApiKeysRepository),
    onAccountDeleted(ApiKeysRepository, (keys, userId, tx) => keys.forgetMaker(userId, tx)),
    ProjectOfApiKey,
    { provide: ApiKeyAuthenticator, useExisting: KeyAuthenticator },
  ],
  exports: [
    ApiKeyAuthenticator,
    ApiKeysRepository,
    ApiKeysService,
    BrowserIngestion,
    KeyAuthenticator,
    KeyChanges,
    KeyIssuer,
  ],
})
export class ApiKeysModule {}
