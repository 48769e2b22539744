import { Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import { ProjectIsArchived } from '../../tenancy/projects/index.js';
import { CreateSecretRequest, ReplaceSecretRequest, SecretResponse, SecretsQuery } from './secrets.dto.js';
import { SecretInUse, SecretNameInUse, SecretNotFound, SecretsUnavailable, TooManySecrets } from './secrets.errors.js';
import { ProjectOfSecret } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';

@ApiTags('secrets')
@Controller('v1/secrets')
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listSecrets',
    summary: 'Secrets of a project (values never returned)',
    description: 'In the order of their names.',
    answer: [SecretResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() _query: SecretsQuery): Promise<SecretResponse[]> {
    return this.secrets.list(scope);
  }

  @Post()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'createSecret',
    summary: 'Store a secret',
    description:
      'Protected headers of webhook channels and parameters of templates name it: `Bearer {{secret:PAYMENTS_TOKEN}}` becomes the present value at each try.',
    status: 201,
    answer: SecretResponse,
    errors: [ProjectIsArchived, SecretNameInUse, TooManySecrets, SecretsUnavailable],
  })
  create(@Scope() scope: ProjectMemberScope, @Body() body: CreateSecretRequest): Promise<SecretResponse> {
    return this.secrets.create(scope, body);
  }

  @Put(':secret_id')
  @Requires({ project: 'admin', via: ProjectOfSecret })
  @Documented({
    operationId: 'replaceSecret',
    summary: 'Replace the value',
    description: 'The old value is gone at once: sends that begin after the answer carry the new one.',
    answer: SecretResponse,
    errors: [ProjectIsArchived, SecretNotFound, SecretsUnavailable],
  })
  replace(
    @Scope() scope: ProjectMemberScope,
    @IdParam('secret_id') id: string,
    @Body() body: ReplaceSecretRequest,
  ): Promise<SecretResponse> {
    return this.secrets.replace(scope, id, body);
  }

  @Delete(':secret_id')
  @Requires({ project: 'admin', via: ProjectOfSecret })
  @Documented({
    operationId: 'deleteSecret',
    summary: 'Delete',
    description: 'Refused while protected headers or parameters of templates use it; the first 20 are named.',
    status: 204,
    errors: [SecretNotFound, SecretInUse],
  })
  delete(@Scope() scope: ProjectMemberScope, @IdParam('secret_id') id: string): Promise<void> {
    return this.secrets.delete(scope, id);
  }
}
