import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import { domainError } from '../../../../../platform/http/domain-error.js';
import { newId } from '../../../../../platform/ids/index.js';
import { AuditWriter } from '../../../../identity/audit/index.js';
import { OrganizationAuthorization } from '../../../organizations/index.js';
import { generateScimToken } from './scim-token-text.js';
import {
  type CreatedScimTokenResponse,
  type CreateScimTokenRequest,
  scimTokenResponse,
  type ScimTokenResponse,
} from './scim-tokens.dto.js';
import { ScimTokensRepository } from './scim-tokens.repository.js';

/** Maximum number of valid tokens of an organization. At least two are needed while a token is being replaced. */
const MAX_SCIM_TOKENS = 10;

export class TooManyScimTokens extends domainError(409, 'Too many provisioning tokens') {}
export class ScimTokenNotFound extends domainError(404, 'Provisioning token not found') {}

/** Creates, lists and revokes the tokens with which identity providers use SCIM. */
@Injectable()
export class ScimTokensService {
  constructor(
    private readonly database: Database,
    private readonly tokens: ScimTokensRepository,
    private readonly authorization: OrganizationAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async list(scope: OrganizationScope): Promise<ScimTokenResponse[]> {
    return (await this.tokens.list(scope)).map(scimTokenResponse);
  }

  async create(
    scope: OrganizationScope,
    { name, expires_at: expiresAt = null }: CreateScimTokenRequest,
  ): Promise<CreatedScimTokenResponse> {
    const { token, hash } = generateScimToken();
    const stored = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.tokens.list(scope, tx)).length >= MAX_SCIM_TOKENS) throw new TooManyScimTokens();
      const row = await this.tokens.insert(scope, { id: newId(), name, hash, createdBy: scope.userId, expiresAt }, tx);
      await this.record(scope, 'created', row.id, { name, expires_at: expiresAt }, tx);
      return row;
    });
    return { ...scimTokenResponse(stored), token };
  }

  async revoke(scope: OrganizationScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const name = await this.tokens.revoke(scope, id, tx);
      if (name === null) throw new ScimTokenNotFound();
      await this.record(scope, 'revoked', id, { name }, tx);
    });
  }

  private async record(
    { userId, organizationId }: OrganizationScope,
    act: string,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    const action = `scim_token.${act}`;
    await this.audit.record(
      { actorUserId: userId, organizationId, action, targetType: 'scim_token', targetId: id, detail },
      tx,
    );
  }
}
