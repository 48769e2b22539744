import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { TrustedDevice } from './trusted-device.entity.js';

export type NewTrustedDevice = Pick<TrustedDevice, 'id' | 'userId' | 'tokenHash' | 'ip' | 'userAgent'>;

/** Stores the trusted devices of an account by the hash of their token. All times come from the database clock. */
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

  /** Records the use of a device. @returns false when the account does not trust the device, or no longer does */
  async touch(userId: UserId, tokenHash: Buffer): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE trusted_devices SET last_used_at = now() WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()',
      [userId, tokenHash],
    );
    return affected === 1;
  }

  /** Returns the unexpired devices of an account, newest first. */
  list(userId: UserId): Promise<TrustedDevice[]> {
    return this.database
      .repository(TrustedDevice)
      .createQueryBuilder('device')
      .where('device.userId = :userId AND device.expiresAt > now()', { userId })
      .orderBy({ 'device.createdAt': 'DESC', 'device.id': 'DESC' })
      .getMany();
  }

  /** Deletes a device. @returns false when the device is gone or has expired */
  async remove(userId: UserId, id: string, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      'DELETE FROM trusted_devices WHERE user_id = $1 AND id = $2 AND expires_at > now()',
      [userId, id],
      tx,
    );
    return affected === 1;
  }

  /** @returns the number of deleted devices */
  removeAllOf(userId: UserId, tx: Db): Promise<number> {
    return this.database.execute('DELETE FROM trusted_devices WHERE user_id = $1', [userId], tx);
  }

  async maintain(): Promise<number> {
    return this.database.execute(
      'DELETE /* every tenant: what has expired */ FROM trusted_devices WHERE expires_at < now()',
    );
  }
}
