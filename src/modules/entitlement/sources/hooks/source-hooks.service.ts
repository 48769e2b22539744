import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { CredentialCipher, CryptographyUnavailableError } from '../../../../platform/crypto/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import type { SourceType } from '../event-source.entity.js';
import { HookCredentialsUnavailable } from '../event-sources.errors.js';
import { assertVerification, type HookVerificationRequest } from './hook-verification.dto.js';
import { HOOK_SECRET } from './source-hook.entity.js';
import { SourceHooksRepository, type StoredVerification } from './source-hooks.repository.js';

const ADDRESS_BYTES = 16;
const UNVERIFIED = { scheme: 'none', secret: null, header: null, encoding: null, prefix: null } as const;

/** The changes of a request to the webhooks of a source. */
export interface HookChange {
  /** Null removes the verification. */
  readonly verification?: HookVerificationRequest | null;
  readonly rotate_hook?: boolean;
}

/** Gives sources of type `webhook` their address, and stores how their webhooks are verified. */
@Injectable()
export class SourceHooksService {
  constructor(
    private readonly hooks: SourceHooksRepository,
    private readonly cipher: CredentialCipher,
  ) {}

  /** Stores the address of a new source of type `webhook`. @throws ValidationError, HookCredentialsUnavailable */
  async create(scope: ProjectScope, source: { id: string; type: SourceType }, change: HookChange, tx: Db) {
    await this.change(scope, { ...source, before: null }, change, tx);
  }

  /**
   * Changes the webhooks of a source. A source whose type is no longer `webhook` loses its address and its secret.
   * @returns the changes, for the audit
   * @throws ValidationError, HookCredentialsUnavailable
   */
  async change(
    scope: ProjectScope,
    source: { readonly id: string; readonly type: SourceType; readonly before: SourceType | null },
    change: HookChange,
    tx: Db,
  ): Promise<Record<string, string>> {
    const { id, type, before } = source;
    const { verification, rotate_hook: rotates = false } = change;
    if (type !== 'webhook') {
      assertNothing(change);
      if (before === 'webhook') await this.hooks.remove(scope, id, tx);
      return {};
    }
    const stored = verification === undefined ? undefined : this.stored(scope, id, verification);
    const address = randomBytes(ADDRESS_BYTES);
    if (before !== 'webhook') {
      await this.hooks.insert(scope, { id, address, ...UNVERIFIED, ...stored }, tx);
    } else if (stored !== undefined || rotates) {
      await this.hooks.update(scope, id, { ...stored, ...(rotates && { address }) }, tx);
    }
    return {
      ...(stored !== undefined && { verification: stored.scheme }),
      ...(rotates && { hook_url: 'rotated' }),
    };
  }

  private stored(scope: ProjectScope, id: string, request: HookVerificationRequest | null): StoredVerification {
    if (request === null) return UNVERIFIED;
    assertVerification(request);
    const { scheme, secret = null, header, encoding = 'hex', prefix = '' } = request;
    return {
      ...UNVERIFIED,
      scheme,
      secret: secret === null ? null : this.seal(scope, id, secret),
      ...(scheme === 'hmac-sha256' && header !== undefined && { header, encoding, prefix }),
    };
  }

  private seal({ projectId }: ProjectScope, id: string, secret: string): string {
    try {
      return this.cipher.encrypt(secret, HOOK_SECRET.placeOf({ id, tenantId: projectId }));
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new HookCredentialsUnavailable();
      throw error;
    }
  }
}

function assertNothing({ verification, rotate_hook: rotates = false }: HookChange): void {
  const sentence = 'only sources of type webhook receive webhooks';
  if (verification) throw brokenRule(['body', 'verification'], sentence, null);
  if (rotates) throw brokenRule(['body', 'rotate_hook'], sentence, rotates);
}
