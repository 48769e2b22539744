import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { newId } from '../../../../platform/ids/index.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountTransactions } from '../account-transactions.js';
import { TrustedDeviceNotFound } from '../second-factors.errors.js';
import { trustedDeviceResponse, type TrustedDeviceResponse } from './trusted-devices.dto.js';
import { TrustedDevicesRepository } from './trusted-devices.repository.js';

/**
 * Lifetime of a trusted device in days. Use does not extend the lifetime, so the second factor is required at least
 * this often.
 */
const LIFE_DAYS = 30;

/** Manages devices that need no second factor for 30 days. Only the hash of a device's token is stored. */
@Injectable()
export class TrustedDevicesService {
  constructor(
    private readonly devices: TrustedDevicesRepository,
    private readonly transactions: AccountTransactions,
  ) {}

  /** Marks the device as trusted. @returns the device's token, which is shown only once */
  async trust({ tx, user, client, note }: AccountAct): Promise<string> {
    const token = randomToken();
    const id = newId();
    const { ip, userAgent } = client;
    await this.devices.insert({ id, userId: user.id, tokenHash: sha256(token), ip, userAgent }, LIFE_DAYS, tx);
    await note('device_trusted', { device_id: id });
    return token;
  }

  /** Returns whether the token belongs to a device that the account still trusts, and records the use. */
  isTrusted(userId: UserId, token: string): Promise<boolean> {
    return this.devices.touch(userId, sha256(token));
  }

  /** Returns the trusted devices of the caller, newest first. */
  async list(scope: UserScope): Promise<TrustedDeviceResponse[]> {
    return (await this.devices.list(scope.userId)).map(trustedDeviceResponse);
  }

  /** Revokes a trusted device. @throws TrustedDeviceNotFound also for a device that was revoked or has expired */
  async revoke(scope: UserScope, id: string, client: Client): Promise<void> {
    await this.transactions.runAs(scope, client, async ({ tx, note }) => {
      if (!(await this.devices.remove(scope.userId, id, tx))) throw new TrustedDeviceNotFound();
      await note('trusted_device_revoked', { device_id: id });
    });
  }
}
