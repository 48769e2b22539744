import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../access/index.js';
import { ApiKeysService, type CreatedApiKeyResponse, KeyChangesService } from '../api-keys/index.js';
import {
  type BrowserKeyResponse,
  type ChangeBrowserKeyRequest,
  type CreatedBrowserKeyResponse,
  type IssueBrowserKeyRequest,
  type IssueKeyRequest,
  originOf,
} from './source-keys.dto.js';

/** Manages the keys of one source, which the api-keys module stores. */
@Injectable()
export class SourceKeysService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly changes: KeyChangesService,
  ) {}

  issue(scope: ProjectMemberScope, sourceId: string, request: IssueKeyRequest): Promise<CreatedApiKeyResponse> {
    const { name, scopes, expires_at: expiresAt = null } = request;
    return this.keys.issue(scope, { name, scopes, sourceId, expiresAt });
  }

  listBrowserKeys(scope: ProjectMemberScope, sourceId: string): Promise<BrowserKeyResponse[]> {
    return this.keys.list(scope, { sourceId, browserSafe: true }) as Promise<BrowserKeyResponse[]>;
  }

  issueBrowserKey(
    scope: ProjectMemberScope,
    sourceId: string,
    request: IssueBrowserKeyRequest,
  ): Promise<CreatedBrowserKeyResponse> {
    const { name, expires_at: expiresAt = null, rate_limit_per_minute: rateLimitPerMinute } = request;
    const browser = { allowedOrigins: request.allowed_origins.map(originOf), rateLimitPerMinute };
    return this.keys.issue(scope, {
      name,
      scopes: ['events:write'],
      sourceId,
      expiresAt,
      browser,
    }) as Promise<CreatedBrowserKeyResponse>;
  }

  changeBrowserKey(
    scope: ProjectMemberScope,
    sourceId: string,
    id: string,
    request: ChangeBrowserKeyRequest,
  ): Promise<BrowserKeyResponse> {
    const { allowed_origins: origins, rate_limit_per_minute: rateLimitPerMinute } = request;
    return this.changes.changeBrowserKey(scope, id, sourceId, {
      ...(origins !== undefined && { allowedOrigins: origins.map(originOf) }),
      ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
    }) as Promise<BrowserKeyResponse>;
  }

  async revokeBrowserKey(scope: ProjectMemberScope, sourceId: string, id: string): Promise<void> {
    await this.changes.revoke(scope, id, { sourceId, browserSafe: true });
  }
}
