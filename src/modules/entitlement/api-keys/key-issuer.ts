import { Injectable } from '@nestjs/common';
import type { ApiKeyScopeName, ProjectMemberScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { generateKey } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { projectAct } from '../../tenancy/projects/index.js';
import { apiKeyResponse, type CreatedApiKeyResponse } from './api-keys.dto.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** The properties of a new key. With `browser`, the key is browser-safe. */
export interface KeyWish {
  readonly name: string;
  readonly scopes: readonly ApiKeyScopeName[];
  readonly sourceId: string | null;
  readonly expiresAt: Date | null;
  readonly browser?: { readonly allowedOrigins: readonly string[]; readonly rateLimitPerMinute: number };
}

/** Creates keys in a transaction that has been authorized. Only the response contains the key itself. */
@Injectable()
export class KeyIssuer {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
  ) {}

  async issue(scope: ProjectMemberScope, wish: KeyWish, tx: Db): Promise<CreatedApiKeyResponse> {
    const { name, sourceId, expiresAt, browser } = wish;
    const { key, prefix, hash } = generateKey(browser === undefined ? 'oes' : 'oesb');
    const id = newId();
    const scopes = [...new Set(wish.scopes)];
    const allowedOrigins = browser === undefined ? null : [...new Set(browser.allowedOrigins)];
    await this.keys.insert(
      scope,
      {
        id,
        sourceId,
        name,
        prefix,
        keyHash: hash,
        scopes,
        createdBy: scope.userId,
        expiresAt,
        allowedOrigins,
        rateLimitPerMinute: browser?.rateLimitPerMinute ?? null,
      },
      tx,
    );
    const detail = { name, prefix, scopes, ...(sourceId !== null && { source_id: sourceId }) };
    await this.audit.record(projectAct(scope, 'api_key.created', detail, { type: 'api_key', id }), tx);
    const record = await this.keys.find(scope, id, {}, tx);
    if (record === null) throw new Error('a key is found in the transaction that made it');
    return { ...apiKeyResponse(record, this.clock.now()), key };
  }
}
