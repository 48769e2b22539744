import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { newId } from '../../../../platform/ids/index.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountActsService } from '../account-acts.service.js';
import { TrustedDeviceNotFound } from '../second-factors.errors.js';
import { trustedDeviceResponse, type TrustedDeviceResponse } from './trusted-devices.dto.js';
import { TrustedDevicesRepository } from './trusted-devices.repository.js';

/** Life of a trusted device; use does not extend it, so the second factor is asked for at least this often. */
const LIFE_DAYS = 30;

/** Devices that need no second factor for a while. Only the hash of what they present is kept. */
@Injectable()
export class TrustedDevicesService {
  constructor(
    private readonly devices: TrustedDevicesRepository,
    private readonly acts: AccountActsService,
  ) {}

  /** @returns the device's token, which is shown this once */
  async trust({ tx, user, client, note }: AccountAct): Promise<string> {
    const token = randomToken();
    const id = newId();
    const { ip, userAgent } = client;
    await this.devices.insert({ id, userId: user.id, tokenHash: sha256(token), ip, userAgent }, LIFE_DAYS, tx);
    await note('device_trusted', { device_id: id });
    return token;
  }

  /** Is this a token of a device the account still trusts? */
  isTrusted(userId: UserId, token: string): Promise<boolean> {
    return this.devices.touch(userId, sha256(token));
  }

  /** Newest first. */
  async list(scope: UserScope): Promise<TrustedDeviceResponse[]> {
    return (await this.devices.list(scope.userId)).map(trustedDeviceResponse);
  }

  /** @throws TrustedDeviceNotFound also for a device that was revoked or has expired */
  async revoke(scope: UserScope, id: string, client: Client): Promise<void> {
    await this.acts.runAs(scope, client, async ({ tx, note }) => {
      if (!(await this.devices.remove(scope.userId, id, tx))) throw new TrustedDeviceNotFound();
      await note('trusted_device_revoked', { device_id: id });
    });
  }
}
