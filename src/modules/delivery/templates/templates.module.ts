import { Module } from '@nestjs/common';
import { SecretsModule } from '../../entitlement/secrets/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { TemplateSecretsService } from './template-secrets.service.js';

@Module({
  imports: [ProjectsModule, SecretsModule],
  providers: [TemplateSecretsService],
  exports: [TemplateSecretsService],
})
export class TemplatesModule {}
