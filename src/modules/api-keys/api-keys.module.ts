import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyAuthenticator } from '../../platform/access/index.js';
import { AuditModule } from '../audit/index.js';
import { ProjectsModule } from '../projects/index.js';
import { ApiKeyRecord } from './api-key.entity.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyUse } from './key-use.js';
import { KeysOfDeletedProjects } from './keys-of-deleted-projects.js';
import { KeysOfDeletedAccounts } from './keys-of-deleted-accounts.js';
import { ProjectOfApiKey } from './project-of-api-key.js';

@Module({
  imports: [AuditModule, ProjectsModule, TypeOrmModule.forFeature([ApiKeyRecord])],
  controllers: [ApiKeysController],
  providers: [
    ApiKeysService,
    ApiKeysRepository,
    KeyAuthenticator,
    KeyUse,
    KeysOfDeletedProjects,
    KeysOfDeletedAccounts,
    ProjectOfApiKey,
    { provide: ApiKeyAuthenticator, useExisting: KeyAuthenticator },
  ],
  exports: [ApiKeyAuthenticator, ApiKeysRepository, KeyAuthenticator],
})
export class ApiKeysModule {}
