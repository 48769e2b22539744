import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { CredentialCipher, CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { SigningUnavailable } from '../delivery.errors.js';
import { type DeliveryChannel, SIGNING_SECRET } from './channel.entity.js';
import { ChannelsRepository } from './channels.repository.js';

const PREFIX = 'whsec_';
/** The size that Standard Webhooks recommends. */
const KEY_BYTES = 32;

type Tenant = Pick<ProjectScope, 'projectId'>;

export type SealedSigningSecrets = Pick<
  DeliveryChannel,
  'signingSecret' | 'previousSigningSecret' | 'previousSigningSecretUntil'
>;

/** A signing secret as Standard Webhooks writes it, and its encrypted form. */
interface NewSigningSecret {
  readonly secret: string;
  readonly sealed: string;
}

/** A signing secret cannot be decrypted any more. A rotation replaces it. */
export class UnreadableSigningSecret extends Error {
  override readonly name = 'UnreadableSigningSecret';
}

/**
 * Creates and encrypts the secrets that sign the webhooks of channels. Each encrypted secret is bound to its row and
 * project.
 */
@Injectable()
export class SigningVault {
  constructor(
    private readonly cipher: CredentialCipher,
    private readonly clock: Clock,
  ) {}

  /** False while credential encryption is switched off. */
  get isAvailable(): boolean {
    return this.cipher.isAvailable;
  }

  /** @throws SigningUnavailable while credential encryption is switched off */
  create(scope: Tenant, channelId: string): NewSigningSecret {
    const secret = PREFIX + randomBytes(KEY_BYTES).toString('base64');
    try {
      return { secret, sealed: this.cipher.encrypt(secret, placeOf(scope, channelId)) };
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new SigningUnavailable();
      throw error;
    }
  }

  /**
   * Returns the secrets that sign now, the newest first.
   * @throws CryptographyUnavailableError, or UnreadableSigningSecret for a key that is gone or a row that was altered
   */
  open(scope: Tenant, channelId: string, sealed: SealedSigningSecrets): string[] {
    const { signingSecret, previousSigningSecret, previousSigningSecretUntil: until } = sealed;
    const previous = until !== null && until > this.clock.now() ? previousSigningSecret : null;
    try {
      return [signingSecret, previous].flatMap((secret) =>
        secret === null ? [] : [this.cipher.decrypt(secret, placeOf(scope, channelId))],
      );
    } catch (error) {
      if (error instanceof DecryptionError) throw new UnreadableSigningSecret();
      throw error;
    }
  }
}

/** Returns the signing key: the bytes that the text of the secret encodes in Base64. */
export function keyOfSigningSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** Deletes previous signing secrets that no longer sign. */
@Injectable()
export class PreviousSigningSecretsMaintenance extends MaintenanceTask {
  constructor(private readonly channels: ChannelsRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.channels.forgetPreviousSigningSecrets();
  }
}

function placeOf({ projectId }: Tenant, id: string): Parameters<CredentialCipher['encrypt']>[1] {
  return SIGNING_SECRET.placeOf({ id, tenantId: projectId });
}
