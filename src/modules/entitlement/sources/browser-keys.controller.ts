import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import { ApiKeyNotFound, ApiKeyRevoked, EventSourceNotFound } from '../api-keys/index.js';
import { ProjectOfSource } from './event-sources.reader.js';
import {
  BrowserKeyResponse,
  ChangeBrowserKeyRequest,
  CreatedBrowserKeyResponse,
  IssueBrowserKeyRequest,
} from './source-keys.dto.js';
import { SourceKeysService } from './source-keys.service.js';

/**
 * Manages browser-safe keys. Everybody can read them in web pages, so they only write events, and only from known
 * origins.
 */
@ApiTags('ingest-sources')
@Controller('v1/ingest-sources/:source_id/browser-keys')
export class BrowserKeysController {
  constructor(private readonly sourceKeys: SourceKeysService) {}

  @Get()
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'listBrowserKeys',
    summary: 'Browser-safe keys',
    description: 'Newest first.',
    answer: [BrowserKeyResponse],
    errors: [EventSourceNotFound],
  })
  list(@Scope() scope: ProjectMemberScope, @IdParam('source_id') sourceId: string): Promise<BrowserKeyResponse[]> {
    return this.sourceKeys.listBrowserKeys(scope, sourceId);
  }

  @Post()
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'createBrowserKey',
    summary: 'Issue a browser-safe key',
    description:
      'Shown once. It has the scope events:write alone, and ingestion takes it only with an `Origin` of the list. Pages may then send `POST /v1/events/ingest` by `fetch` with `X-API-Key`: CORS answers for those origins.',
    status: 201,
    answer: CreatedBrowserKeyResponse,
    errors: [EventSourceNotFound],
  })
  issue(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @Body() body: IssueBrowserKeyRequest,
  ): Promise<CreatedBrowserKeyResponse> {
    return this.sourceKeys.issueBrowserKey(scope, sourceId, body);
  }

  @Patch(':key_id')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'updateBrowserKey',
    summary: 'Origins and rate_limit_per_minute',
    description: 'What is left out stays. Name and expiry are changed by PATCH /v1/api-keys/{key_id}.',
    answer: BrowserKeyResponse,
    errors: [EventSourceNotFound, ApiKeyNotFound, ApiKeyRevoked],
  })
  change(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @IdParam('key_id') id: string,
    @Body() body: ChangeBrowserKeyRequest,
  ): Promise<BrowserKeyResponse> {
    return this.sourceKeys.changeBrowserKey(scope, sourceId, id, body);
  }

  @Delete(':key_id')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'revokeBrowserKey',
    summary: 'Revoke a browser-safe key (204)',
    description: 'It stays in the lists as revoked. Revoking again answers the same.',
    status: 204,
    errors: [EventSourceNotFound, ApiKeyNotFound],
  })
  revoke(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @IdParam('key_id') id: string,
  ): Promise<void> {
    return this.sourceKeys.revokeBrowserKey(scope, sourceId, id);
  }
}
