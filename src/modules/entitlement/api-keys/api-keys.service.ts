import { Injectable } from '@nestjs/common';
import type { ApiKeyScope, ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database } from '../../../platform/database/database.js';
import { ProjectAuthorization, ProjectsReader } from '../../tenancy/projects/index.js';
import {
  apiKeyResponse,
  type ApiKeyResponse,
  type CreateApiKeyRequest,
  type CreatedApiKeyResponse,
  type OwnApiKeyResponse,
} from './api-keys.dto.js';
import { ApiKeyNotFound, EventSourceNotFound } from './api-keys.errors.js';
import { ApiKeysRepository, type KeyFilter } from './api-keys.repository.js';
import { KeyIssuer, type KeyWish } from './key-issuer.js';

/** Creates and reads keys. {@link KeyChangesService} changes them. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly issuer: KeyIssuer,
    private readonly authorization: ProjectAuthorization,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  create(scope: ProjectMemberScope, request: CreateApiKeyRequest): Promise<CreatedApiKeyResponse> {
    const { name, scopes, source_id: sourceId = null, expires_at: expiresAt = null } = request;
    return this.issue(scope, { name, scopes, sourceId, expiresAt });
  }

  /** Creates a key. Only this response contains the key itself; the database stores its hash. */
  async issue(scope: ProjectMemberScope, wish: KeyWish): Promise<CreatedApiKeyResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if (wish.sourceId !== null && !(await this.keys.hasSource(scope, wish.sourceId, tx))) {
        throw new EventSourceNotFound();
      }
      return this.issuer.issue(scope, wish, tx);
    });
  }

  async list(scope: ProjectScope, filter: KeyFilter): Promise<ApiKeyResponse[]> {
    const now = this.clock.now();
    return (await this.keys.list(scope, filter)).map((record) => apiKeyResponse(record, now));
  }

  async own(scope: ApiKeyScope): Promise<OwnApiKeyResponse> {
    const [project, record] = await Promise.all([this.projects.get(scope), this.keys.find(scope, scope.apiKeyId)]);
    if (record === null) throw new ApiKeyNotFound();
    return {
      ...apiKeyResponse(record, this.clock.now()),
      organization_id: scope.organizationId,
      project_name: project.name,
    };
  }
}
