import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { TrustedDevice } from './trusted-device.entity.js';

export type NewTrustedDevice = Pick<TrustedDevice, 'id' | 'userId' | 'tokenHash' | 'ip' | 'userAgent'>;

/** Devices that an account trusts, by the hash of what they present. Time is the database's. */
@Injectable()
export class TrustedDevicesRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(device: NewTrustedDevice, lifeDays: number, tx: Db): Promise<void> {
    const { id, userId, tokenHash, ip, userAgent } = device;
    await this.database.execute(
      `INSERT INTO trusted_devices (id, user_id, token_hash, ip, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))`,
      [id, userId, tokenHash, ip, userAgent, lifeDays],
      tx,
    );
  }

  /** Notes the use of a device. False: the account does not trust it, or no longer. */
  async touch(userId: UserId, tokenHash: Buffer): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE trusted_devices SET last_used_at = now() WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()',
      [userId, tokenHash],
    );
    return affected === 1;
  }

  /** The living ones, newest first. */
  list(userId: UserId): Promise<TrustedDevice[]> {
    return this.database
      .repository(TrustedDevice)
      .createQueryBuilder('device')
      .where('device.userId = :userId AND device.expiresAt > now()', { userId })
      .orderBy({ 'device.createdAt': 'DESC', 'device.id': 'DESC' })
      .getMany();
  }

  /** False for a device that is gone or has expired. */
  async remove(userId: UserId, id: string, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      'DELETE FROM trusted_devices WHERE user_id = $1 AND id = $2 AND expires_at > now()',
      [userId, id],
      tx,
    );
    return affected === 1;
  }

  /** @returns how many there were */
  removeAllOf(userId: UserId, tx: Db): Promise<number> {
    return this.database.execute('DELETE FROM trusted_devices WHERE user_id = $1', [userId], tx);
  }

  async maintain(): Promise<number> {
    return this.database.execute(
      'DELETE /* every tenant: what has expired */ FROM trusted_devices WHERE expires_at < now()',
    );
  }
}
