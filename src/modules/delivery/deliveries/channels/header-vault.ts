import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { CredentialCipher, CryptographyUnavailableError } from '../../../../platform/crypto/index.js';
import { ProtectedHeadersUnavailable } from '../delivery.errors.js';
import { HEADER_VALUE, type ProtectedHeader } from './protected-header.entity.js';

/** Encrypts the values of protected headers. Each encrypted value is bound to its row and project. */
@Injectable()
export class HeaderVault {
  constructor(private readonly cipher: CredentialCipher) {}

  /** False while credential encryption is switched off. */
  get isAvailable(): boolean {
    return this.cipher.isAvailable;
  }

  /** @throws ProtectedHeadersUnavailable while credential encryption is switched off */
  assertAvailable(): void {
    if (!this.isAvailable) throw new ProtectedHeadersUnavailable();
  }

  /** @throws ProtectedHeadersUnavailable */
  seal(
    scope: Pick<ProjectScope, 'projectId'>,
    id: string,
    value: string,
  ): Pick<ProtectedHeader, 'value' | 'keyVersion'> {
    try {
      return { value: this.cipher.encrypt(value, placeOf(scope, id)), keyVersion: this.cipher.firstKeyId };
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new ProtectedHeadersUnavailable();
      throw error;
    }
  }

  /** @throws CryptographyUnavailableError, or DecryptionError for a key that is gone or a row that was altered */
  open(scope: Pick<ProjectScope, 'projectId'>, { id, value }: Pick<ProtectedHeader, 'id' | 'value'>): string {
    return this.cipher.decrypt(value, placeOf(scope, id));
  }
}

function placeOf(
  { projectId }: Pick<ProjectScope, 'projectId'>,
  id: string,
): Parameters<CredentialCipher['encrypt']>[1] {
  return HEADER_VALUE.placeOf({ id, tenantId: projectId });
}
