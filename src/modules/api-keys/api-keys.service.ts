import { Injectable } from '@nestjs/common';
import type { ApiKeyScope, ProjectMemberScope, ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { generateKey } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { brokenRule } from '../../platform/http/fields/index.js';
import { newId } from '../../platform/ids/index.js';
import { AuditWriter } from '../audit/index.js';
import { projectAct, ProjectsRepository } from '../projects/index.js';
import {
  apiKeyResponse,
  type ApiKeyResponse,
  type CreateApiKeyRequest,
  type CreatedApiKeyResponse,
  type OwnApiKeyResponse,
} from './api-keys.dto.js';
import { ApiKeyNotFound } from './api-keys.errors.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeyAuthenticator } from './key-authenticator.js';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: KeyAuthenticator,
    private readonly projects: ProjectsRepository,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
  ) {}

  /** The key itself is in this answer alone; the database keeps its hash. */
  async create(scope: ProjectMemberScope, request: CreateApiKeyRequest): Promise<CreatedApiKeyResponse> {
    const expiresAt = request.expires_at ?? null;
    if (expiresAt !== null && expiresAt <= this.clock.now()) {
      throw brokenRule(['body', 'expires_at'], 'expires_at must lie in the future', expiresAt.toISOString());
    }
    const { key, prefix, hash } = generateKey('oes');
    const id = newId();
    const { name } = request;
    const scopes = [...new Set(request.scopes)];
    await this.database.transaction(async (tx) => {
      await this.keys.insert(
        scope,
        { id, sourceId: null, name, prefix, keyHash: hash, scopes, createdBy: scope.userId, expiresAt },
        tx,
      );
      await this.audit.record(
        projectAct(scope, 'api_key.created', { name, prefix, scopes }, { type: 'api_key', id }),
        tx,
      );
    });
    return { ...(await this.get(scope, id)), key };
  }

  async list(scope: ProjectScope): Promise<ApiKeyResponse[]> {
    const now = this.clock.now();
    return (await this.keys.list(scope)).map((record) => apiKeyResponse(record, now));
  }

  /** Takes effect at once here and, by a notice, on every other instance. Revoking twice answers the same. */
  async revoke(scope: ProjectMemberScope, id: string): Promise<ApiKeyResponse> {
    await this.database.transaction(async (tx) => {
      if (!(await this.keys.revoke(scope, id, tx))) return;
      await this.audit.record(projectAct(scope, 'api_key.revoked', {}, { type: 'api_key', id }), tx);
      await this.authenticator.announceChange(id, tx);
    });
    this.authenticator.forgetAll();
    return this.get(scope, id);
  }

  async own(scope: ApiKeyScope): Promise<OwnApiKeyResponse> {
    const project = await this.projects.get(scope);
    return {
      ...(await this.get(scope, scope.apiKeyId)),
      organization_id: scope.organizationId,
      project_name: project.name,
    };
  }

  private async get(scope: ProjectScope, id: string): Promise<ApiKeyResponse> {
    const record = await this.keys.find(scope, id);
    if (record === null) throw new ApiKeyNotFound();
    return apiKeyResponse(record, this.clock.now());
  }
}
