import { Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKey, type ApiKeyScope, type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import {
  ApiKeyResponse,
  ApiKeysQuery,
  ChangeApiKeyRequest,
  CreateApiKeyRequest,
  CreatedApiKeyResponse,
  OwnApiKeyResponse,
  RotateApiKeyRequest,
} from './api-keys.dto.js';
import {
  ApiKeyExpired,
  ApiKeyNotActive,
  ApiKeyNotFound,
  ApiKeyRevoked,
  ApiKeyRotated,
  EventSourceNotFound,
  InvalidApiKey,
} from './api-keys.errors.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyChangesService } from './key-changes.service.js';
import { ProjectOfApiKey } from './api-keys.repository.js';

@ApiTags('api-keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly changes: KeyChangesService,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listApiKeys',
    summary: 'Keys of a project',
    description:
      'Newest first: keys of the project itself, of its Event Sources and browser-safe ones, whatever became of them.',
    answer: [ApiKeyResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: ApiKeysQuery): Promise<ApiKeyResponse[]> {
    return this.apiKeys.list(scope, { sourceId: query.source_id });
  }

  @Post()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'createApiKey',
    summary: 'Create (shown once)',
    description: 'The whole key stands in this answer alone; afterwards its prefix is shown.',
    status: 201,
    answer: CreatedApiKeyResponse,
    errors: [EventSourceNotFound],
  })
  create(@Scope() scope: ProjectMemberScope, @Body() body: CreateApiKeyRequest): Promise<CreatedApiKeyResponse> {
    return this.apiKeys.create(scope, body);
  }

  @Get('me')
  @ApiKey()
  @Documented({
    operationId: 'getCurrentApiKey',
    summary: 'Self-inspection of the key',
    description: 'Of the key that the request carries; needs no scope.',
    answer: OwnApiKeyResponse,
    errors: [InvalidApiKey, ApiKeyNotActive],
  })
  me(@Scope() scope: ApiKeyScope): Promise<OwnApiKeyResponse> {
    return this.apiKeys.own(scope);
  }

  @Patch(':key_id')
  @Requires({ project: 'admin', via: ProjectOfApiKey })
  @Documented({
    operationId: 'updateApiKey',
    summary: 'Rename, scopes, expiry',
    description:
      'What is left out stays. A new end also revives a key that has expired, unless it was rotated; a revoked key stays as it is.',
    answer: ApiKeyResponse,
    errors: [ApiKeyNotFound, ApiKeyRevoked, ApiKeyRotated],
  })
  change(
    @Scope() scope: ProjectMemberScope,
    @IdParam('key_id') id: string,
    @Body() body: ChangeApiKeyRequest,
  ): Promise<ApiKeyResponse> {
    return this.changes.change(scope, id, body);
  }

  @Post(':key_id/rotate')
  @Requires({ project: 'admin', via: ProjectOfApiKey })
  @Documented({
    operationId: 'rotateApiKey',
    summary: 'Rotate with a grace period',
    description:
      'Answers a new key of the same name, scopes, source, origins and end, shown once. The old one reads `rotating` and works for `grace_seconds` more, then it is `expired`.',
    answer: CreatedApiKeyResponse,
    errors: [ApiKeyNotFound, ApiKeyRevoked, ApiKeyExpired, ApiKeyRotated],
  })
  rotate(
    @Scope() scope: ProjectMemberScope,
    @IdParam('key_id') id: string,
    @Body() body: RotateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return this.changes.rotate(scope, id, body.grace_seconds);
  }

  @Post(':key_id/revoke')
  @Requires({ project: 'admin', via: ProjectOfApiKey })
  @Documented({
    operationId: 'revokeApiKey',
    summary: 'Revoke',
    description: 'Revoking again answers the same.',
    answer: ApiKeyResponse,
    errors: [ApiKeyNotFound],
  })
  revoke(@Scope() scope: ProjectMemberScope, @IdParam('key_id') id: string): Promise<ApiKeyResponse> {
    return this.changes.revoke(scope, id);
  }
}
