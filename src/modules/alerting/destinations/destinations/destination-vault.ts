import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { CredentialCipher, CryptographyUnavailableError } from '../../../../platform/crypto/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { DestinationCredentialsUnavailable } from '../destinations.errors.js';
import type { OpenedDestination } from '../drivers/destination-driver.js';
import { DestinationDriverRegistry } from '../drivers/destination-drivers.js';
import { type AlertDestination, DESTINATION_SECRET, SEALED_URL } from './destination.entity.js';
import { DestinationsRepository } from './destinations.repository.js';

const COLUMNS = { secret: DESTINATION_SECRET, sealed_url: SEALED_URL };
type Column = keyof typeof COLUMNS;
type Tenant = Pick<ProjectScope, 'projectId'>;

export type SealedDestination = Pick<
  AlertDestination,
  'id' | 'projectId' | 'targetUrl' | 'sealedUrl' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>;

/** Encrypts secrets, and addresses that are credentials. Each encrypted value is bound to its row and project. */
@Injectable()
export class DestinationVault {
  constructor(
    private readonly cipher: CredentialCipher,
    private readonly drivers: DestinationDriverRegistry,
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

  /**
   * Returns the columns that store an address. If addresses of this type are credentials, `sealedUrl` is the encrypted
   * address and `targetUrl` is a mask to show.
   * @throws DestinationCredentialsUnavailable
   */
  sealAddress(
    scope: Tenant,
    { id, type }: Pick<AlertDestination, 'id' | 'type'>,
    url: URL,
  ): Pick<AlertDestination, 'targetUrl' | 'sealedUrl'> {
    const mask = this.drivers.of(type).maskOf(url);
    if (mask === null) return { targetUrl: url.href, sealedUrl: null };
    return { targetUrl: mask, sealedUrl: this.seal(scope, id, 'sealed_url', url.href) };
  }

  /** Returns whether `value` is the secret in use; false when the stored secret cannot be decrypted. */
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
    const shownUrl = sealed.targetUrl;
    if (sealed.sealedUrl === null) return { url: shownUrl, shownUrl, secrets, confidential: secrets };
    const url = open('sealed_url', sealed.sealedUrl);
    const { pathname, search } = new URL(url);
    return { url, shownUrl, secrets, confidential: [...secrets, url, `${pathname}${search}`] };
  }
}

/** Deletes previous secrets that no longer sign. */
@Injectable()
export class PreviousSecretsMaintenance extends MaintenanceTask {
  constructor(private readonly destinations: DestinationsRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.destinations.forgetPreviousSecrets();
  }
}

function placeOf({ projectId }: Tenant, id: string, column: Column): Parameters<CredentialCipher['encrypt']>[1] {
  return COLUMNS[column].placeOf({ id, tenantId: projectId });
}
