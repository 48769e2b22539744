import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { CredentialCipher, CryptographyUnavailableError, DecryptionError } from '../../../platform/crypto/index.js';
import { type ProjectSecret, SECRET_VALUE } from './secret.entity.js';
import { SecretsUnavailable } from './secrets.errors.js';

type Tenant = Pick<ProjectScope, 'projectId'>;
type Version = Pick<ProjectSecret, 'id' | 'version'>;

/** Encrypts the values of secrets. Each encrypted value is bound to its row, project and version. */
@Injectable()
export class SecretVault {
  constructor(private readonly cipher: CredentialCipher) {}

  /** @throws SecretsUnavailable while credential encryption is switched off */
  assertAvailable(): void {
    if (!this.cipher.isAvailable) throw new SecretsUnavailable();
  }

  /** @throws SecretsUnavailable */
  seal(scope: Tenant, version: Version, value: string): string {
    try {
      return this.cipher.encrypt(value, placeOf(scope, version));
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new SecretsUnavailable();
      throw error;
    }
  }

  /**
   * Returns null when the encryption key no longer exists or the row was altered.
   * @throws CryptographyUnavailableError
   */
  open(scope: Tenant, { value, ...version }: Version & Pick<ProjectSecret, 'value'>): string | null {
    try {
      return this.cipher.decrypt(value, placeOf(scope, version));
    } catch (error) {
      if (error instanceof DecryptionError) return null;
      throw error;
    }
  }
}

function placeOf({ projectId }: Tenant, { id, version }: Version): Parameters<CredentialCipher['encrypt']>[1] {
  return SECRET_VALUE.placeOf({ id, tenantId: projectId, version });
}
