import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Passwords } from '../../../platform/crypto/index.js';
import { CredentialsWriter, UsersReader } from '../users/index.js';

/** Upgrades stored password hashes to the current cost parameters. */
@Injectable()
export class PasswordUpgradeService {
  constructor(
    private readonly users: UsersReader,
    private readonly credentials: CredentialsWriter,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Returns the hash of a correct password, and replaces the stored hash when its cost is below the current one. When
   * several sign-ins upgrade at once, the first hash stays and the others return it. When the password has changed in
   * the meantime, the method returns the old hash, which admits nobody.
   */
  async upgraded(userId: UserId, storedHash: string, password: string): Promise<string> {
    if (!this.passwords.needsRehash(storedHash)) return storedHash;
    const hash = await this.passwords.hash(password, userId);
    if (await this.credentials.upgradePasswordHash(userId, storedHash, hash)) return hash;
    const present = (await this.users.findById(userId))?.passwordHash ?? null;
    return present !== null && (await this.passwords.verify(present, password, userId)) ? present : storedHash;
  }
}
