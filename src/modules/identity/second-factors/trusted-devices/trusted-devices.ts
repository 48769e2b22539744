import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { Database } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountActs } from '../account-acts.js';
import { TrustedDeviceNotFound } from '../second-factors.errors.js';
import { TrustedDevice } from './trusted-device.entity.js';
import { trustedDeviceResponse, type TrustedDeviceResponse } from './trusted-devices.dto.js';

/** Life of a trusted device; use does not extend it, so the second factor is asked for at least this often. */
const LIFE_DAYS = 30;

/** Devices that need no second factor for a while. Only the hash of what they present is kept. */
@Injectable()
export class TrustedDevices extends Upkeep {
  constructor(
    private readonly database: Database,
    private readonly acts: AccountActs,
  ) {
    super();
  }

  /** @returns the device's token, which is shown this once */
  async trust({ tx, user, client, note }: AccountAct): Promise<string> {
    const token = randomToken();
    const id = newId();
    await this.database.execute(
      `INSERT INTO trusted_devices (id, user_id, token_hash, ip, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))`,
      [id, user.id, sha256(token), client.ip, client.userAgent, LIFE_DAYS],
      tx,
    );
    await note('device_trusted', { device_id: id });
    return token;
  }

  /** Is this a token of a device the account still trusts? */
  async isTrusted(userId: UserId, token: string): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE trusted_devices SET last_used_at = now() WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()',
      [userId, sha256(token)],
    );
    return affected === 1;
  }

  /** Newest first. */
  async list(scope: UserScope): Promise<TrustedDeviceResponse[]> {
    const devices = await this.database
      .repository(TrustedDevice)
      .createQueryBuilder('device')
      .where('device.userId = :userId AND device.expiresAt > now()', { userId: scope.userId })
      .orderBy({ 'device.createdAt': 'DESC', 'device.id': 'DESC' })
      .getMany();
    return devices.map(trustedDeviceResponse);
  }

  /** @throws TrustedDeviceNotFound also for a device that was revoked or has expired */
  async revoke(scope: UserScope, id: string, client: Client): Promise<void> {
    await this.acts.runAs(scope, client, async ({ tx, note }) => {
      const affected = await this.database.execute(
        'DELETE FROM trusted_devices WHERE user_id = $1 AND id = $2 AND expires_at > now()',
        [scope.userId, id],
        tx,
      );
      if (affected === 0) throw new TrustedDeviceNotFound();
      await note('trusted_device_revoked', { device_id: id });
    });
  }

  async upkeep(): Promise<number> {
    return this.database.execute('DELETE FROM trusted_devices WHERE expires_at < now()');
  }
}
