import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { ProjectSecret, SECRET_VALUE } from './secret.entity.js';
import { SecretReferencesService } from './secret-references.service.js';
import { SecretRemovalService } from './secret-removal.service.js';
import { SecretVault } from './secret-vault.js';
import { SecretsController } from './secrets.controller.js';
import { SecretsReader } from './secrets.reader.js';
import { ProjectOfSecret, SecretsRepository } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';
import { SecretSearch } from './secret-search.reader.js';

@Module({
  imports: [AuditModule, DiscoveryModule, ProjectsModule, TypeOrmModule.forFeature([ProjectSecret])],
  controllers: [SecretsController],
  providers: [
    SecretSearch,
    ...sealedColumns(SECRET_VALUE),
    belongsToProject(SecretRemovalService),
    ProjectOfSecret,
    SecretReferencesService,
    SecretRemovalService,
    SecretVault,
    SecretsReader,
    SecretsRepository,
    SecretsService,
  ],
  exports: [SecretsReader],
})
export class SecretsModule {}
