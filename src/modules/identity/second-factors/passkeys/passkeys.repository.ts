import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { Passkey } from './passkey.entity.js';

export type NewPasskey = Pick<
  Passkey,
  | 'userId'
  | 'name'
  | 'credentialId'
  | 'publicKey'
  | 'signCount'
  | 'backupEligible'
  | 'backedUp'
  | 'transports'
  | 'proven'
  | 'uvInitialized'
>;

/** Stores passkeys by the account that they belong to. */
@Injectable()
export class PasskeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns the passkeys of an account, newest first. */
  list(userId: UserId, db?: Db): Promise<Passkey[]> {
    return this.database.repository(Passkey, db).find({ where: { userId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find(userId: UserId, id: string, db?: Db): Promise<Passkey | null> {
    return this.database.repository(Passkey, db).findOneBy({ userId, id });
  }

  findByCredential(userId: UserId, credentialId: Buffer, db?: Db): Promise<Passkey | null> {
    return this.database.repository(Passkey, db).findOneBy({ userId, credentialId });
  }

  /**
   * Returns the owner of a passkey, or null. This is the only lookup without an account, since here the passkey
   * identifies the account.
   */
  async ownerOf(credentialId: Buffer): Promise<UserId | null> {
    const passkey = await this.database
      .repository(Passkey)
      .findOneBy({ /* tenant: whoever shows the passkey */ credentialId });
    return passkey?.userId ?? null;
  }

  /** Stores a passkey and returns its id. Returns null when any account has already registered the credential. */
  async insert(passkey: NewPasskey, tx: Db): Promise<string | null> {
    const id = newId();
    const result = await this.database
      .repository(Passkey, tx)
      .createQueryBuilder()
      .insert()
      .values({ id, ...passkey })
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1 ? id : null;
  }

  async rename(userId: UserId, id: string, name: string, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE passkeys SET name = $3 WHERE user_id = $1 AND id = $2',
      [userId, id, name],
      tx,
    );
    return affected === 1;
  }

  async remove(userId: UserId, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM passkeys WHERE user_id = $1 AND id = $2', [userId, id], tx);
  }

  /** @returns the number of removed passkeys */
  removeAll(userId: UserId, tx: Db): Promise<number> {
    return this.database.execute('DELETE FROM passkeys WHERE user_id = $1', [userId], tx);
  }

  async removeUnproven(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM passkeys WHERE user_id = $1 AND NOT proven', [userId], tx);
  }

  /**
   * Records a use of a passkey.
   * @param use `initializesUv` is true when the passkey has verified its user after another factor was shown
   */
  async markUsed(
    userId: UserId,
    id: string,
    use: { signCount: number; backedUp: boolean; initializesUv: boolean },
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE passkeys SET sign_count = $3, backed_up = $4, uv_initialized = uv_initialized OR $5, last_used_at = now()
       WHERE user_id = $1 AND id = $2`,
      [userId, id, use.signCount, use.backedUp, use.initializesUv],
      tx,
    );
  }
}
