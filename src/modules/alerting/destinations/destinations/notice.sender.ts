import { Injectable } from '@nestjs/common';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { failedTry, type TryOutcome } from '../../../delivery/sending/index.js';
import type { StoredNotice } from '../drivers/notice.js';
import { DestinationDriverRegistry, type DestinationType } from '../drivers/destination-drivers.js';
import { DestinationVault, type SealedDestination } from './destination-vault.js';

interface NoticeToSend {
  readonly destination: SealedDestination & { readonly type: DestinationType };
  readonly notice: StoredNotice;
  /** The same in all sends of a delivery. */
  readonly deliveryId: string;
}

/** Decrypts a destination and sends one notification with its driver, once. Failures of the receiver never reject. */
@Injectable()
export class NoticeSender {
  constructor(
    private readonly vault: DestinationVault,
    private readonly drivers: DestinationDriverRegistry,
  ) {}

  async send({ destination: sealed, notice, deliveryId }: NoticeToSend, deadlineMs: number): Promise<TryOutcome> {
    try {
      const destination = this.vault.open(sealed);
      return await this.drivers.of(sealed.type).send({ destination, notice, deliveryId }, deadlineMs);
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) return failedTry('unavailable', 'cryptography_unavailable');
      if (error instanceof DecryptionError) return failedTry('refused', 'credentials_unreadable');
      throw error;
    }
  }
}
