import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKey, type ApiKeyScope, type ProjectMemberScope, Requires } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../platform/http/inputs.js';
import {
  ApiKeyResponse,
  CreateApiKeyRequest,
  CreatedApiKeyResponse,
  OwnApiKeyResponse,
  ProjectQuery,
} from './api-keys.dto.js';
import { ApiKeyNotActive, ApiKeyNotFound, InvalidApiKey } from './api-keys.errors.js';
import { ApiKeysService } from './api-keys.service.js';
import { ProjectOfApiKey } from './project-of-api-key.js';

@ApiTags('api-keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({ summary: 'Keys of a project', answer: [ApiKeyResponse] })
  list(@Scope() scope: ProjectMemberScope, @Query() _query: ProjectQuery): Promise<ApiKeyResponse[]> {
    return this.apiKeys.list(scope);
  }

  @Post()
  @Requires({ project: 'admin' })
  @Documented({ summary: 'Create (shown once)', status: 201, answer: CreatedApiKeyResponse })
  create(@Scope() scope: ProjectMemberScope, @Body() body: CreateApiKeyRequest): Promise<CreatedApiKeyResponse> {
    return this.apiKeys.create(scope, body);
  }

  @Get('me')
  @ApiKey()
  @Documented({
    summary: 'Self-inspection of the key',
    answer: OwnApiKeyResponse,
    errors: [InvalidApiKey, ApiKeyNotActive],
  })
  me(@Scope() scope: ApiKeyScope): Promise<OwnApiKeyResponse> {
    return this.apiKeys.own(scope);
  }

  @Post(':key_id/revoke')
  @Requires({ project: 'admin', via: ProjectOfApiKey })
  @Documented({
    summary: 'Revoke',
    description: 'Revoking again answers the same.',
    answer: ApiKeyResponse,
    errors: [ApiKeyNotFound],
  })
  revoke(@Scope() scope: ProjectMemberScope, @IdParam('key_id') id: string): Promise<ApiKeyResponse> {
    return this.apiKeys.revoke(scope, id);
  }
}
