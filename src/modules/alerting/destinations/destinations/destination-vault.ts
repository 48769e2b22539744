import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { CredentialCipher, CryptographyUnavailableError } from '../../../../platform/crypto/index.js';
import { DestinationCredentialsUnavailable } from '../alert-destinations.errors.js';
import type { AlertDestination } from './destination.entity.js';

type Column = 'secret' | 'sealed_url';
type Tenant = Pick<ProjectScope, 'projectId'>;

export type SealedDestination = Pick<
  AlertDestination,
  'id' | 'projectId' | 'targetUrl' | 'sealedUrl' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>;

/** What a request needs in plain; lives no longer than the request. */
export interface OpenedDestination {
  readonly url: string;
  /** Newest first. */
  readonly secrets: readonly string[];
  /** Whatever of it must not come back in stored text. */
  readonly confidential: readonly string[];
}

/** Encrypts secrets and Slack addresses, each bound to its row and project. */
@Injectable()
export class DestinationVault {
  constructor(
    private readonly cipher: CredentialCipher,
    private readonly clock: Clock,
  ) {}

  /** @throws DestinationCredentialsUnavailable while credential encryption is switched off */
  seal(scope: Tenant, id: string, column: Column, value: string): string {
    try {
      return this.cipher.encrypt(value, placeOf(scope, id, column));
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new DestinationCredentialsUnavailable();
      throw error;
    }
  }

  /** Whether this is the secret that is in use; false for one that cannot be read any more. */
  isSecret({ id, projectId, secret }: Pick<AlertDestination, 'id' | 'projectId' | 'secret'>, value: string): boolean {
    if (secret === null) return false;
    try {
      return this.cipher.decrypt(secret, placeOf({ projectId }, id, 'secret')) === value;
    } catch {
      return false;
    }
  }

  /** @throws CryptographyUnavailableError, or DecryptionError for a key that is gone or a row that was altered */
  open({ id, projectId, ...sealed }: SealedDestination): OpenedDestination {
    const open = (column: Column, envelope: string): string =>
      this.cipher.decrypt(envelope, placeOf({ projectId }, id, column));
    const { previousSecret, previousSecretUntil: until } = sealed;
    const previous = until !== null && until > this.clock.now() ? previousSecret : null;
    const secrets = [sealed.secret, previous].flatMap((secret) => (secret === null ? [] : [open('secret', secret)]));
    if (sealed.sealedUrl === null) return { url: sealed.targetUrl, secrets, confidential: secrets };
    const url = open('sealed_url', sealed.sealedUrl);
    const { pathname, search } = new URL(url);
    return { url, secrets, confidential: [...secrets, url, `${pathname}${search}`] };
  }
}

function placeOf({ projectId }: Tenant, id: string, column: Column): Parameters<CredentialCipher['encrypt']>[1] {
  return { table: 'alert_destinations', column, rowId: id, tenantId: projectId };
}
