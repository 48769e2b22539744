import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import {
  ApiKeyExpired,
  ApiKeyNotFound,
  ApiKeyResponse,
  ApiKeyRevoked,
  ApiKeyRotated,
  ApiKeysService,
  CreatedApiKeyResponse,
  EventSourceNotFound,
  KeyChangesService,
  RotateApiKeyRequest,
} from '../api-keys/index.js';
import { ProjectOfSource } from './event-sources.reader.js';
import { IssueKeyRequest } from './source-keys.dto.js';
import { SourceKeysService } from './source-keys.service.js';

@ApiTags('ingest-sources')
@Controller('v1/ingest-sources/:source_id/keys')
export class SourceKeysController {
  constructor(
    private readonly sourceKeys: SourceKeysService,
    private readonly keys: ApiKeysService,
    private readonly changes: KeyChangesService,
  ) {}

  @Get()
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'listIngestSourceKeys',
    summary: 'Keys of the source',
    description: 'Newest first; browser-safe ones are among them.',
    answer: [ApiKeyResponse],
    errors: [EventSourceNotFound],
  })
  list(@Scope() scope: ProjectMemberScope, @IdParam('source_id') sourceId: string): Promise<ApiKeyResponse[]> {
    return this.keys.list(scope, { sourceId });
  }

  @Post()
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'createIngestSourceKey',
    summary: 'Issue a key (shown once)',
    description:
      'It sends for this Event Source alone. The whole key stands in this answer alone; afterwards its prefix is shown.',
    status: 201,
    answer: CreatedApiKeyResponse,
    errors: [EventSourceNotFound],
  })
  issue(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @Body() body: IssueKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return this.sourceKeys.issue(scope, sourceId, body);
  }

  @Post(':key_id/rotate')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'rotateIngestSourceKey',
    summary: 'Rotate with a grace period',
    description: 'As POST /v1/api-keys/{key_id}/rotate, for any key of the source, browser-safe ones included.',
    answer: CreatedApiKeyResponse,
    errors: [EventSourceNotFound, ApiKeyNotFound, ApiKeyRevoked, ApiKeyExpired, ApiKeyRotated],
  })
  rotate(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @IdParam('key_id') id: string,
    @Body() body: RotateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return this.changes.rotate(scope, id, body.grace_seconds, { sourceId });
  }

  @Post(':key_id/revoke')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'revokeIngestSourceKey',
    summary: 'Revoke',
    description: 'Revoking again answers the same.',
    answer: ApiKeyResponse,
    errors: [EventSourceNotFound, ApiKeyNotFound],
  })
  revoke(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @IdParam('key_id') id: string,
  ): Promise<ApiKeyResponse> {
    return this.changes.revoke(scope, id, { sourceId });
  }
}
