import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Passwords } from '../../../platform/crypto/index.js';
import { CredentialsWriter, UsersReader } from '../users/index.js';

/** Hashes of passwords in step with what a hash costs today. */
@Injectable()
export class PasswordUpgradeService {
  constructor(
    private readonly users: UsersReader,
    private readonly credentials: CredentialsWriter,
    private readonly passwords: Passwords,
  ) {}

  /**
   * The stored hash of a password that was just found right, made anew when it is weaker than today's. Of several sign-ins
   * at once the first one's stays, and is the others' too; after a change of the password the old hash lets nobody in.
   */
  async upgraded(userId: UserId, storedHash: string, password: string): Promise<string> {
    if (!this.passwords.needsRehash(storedHash)) return storedHash;
    const hash = await this.passwords.hash(password, userId);
    if (await this.credentials.upgradePasswordHash(userId, storedHash, hash)) return hash;
    const present = (await this.users.findById(userId))?.passwordHash ?? null;
    return present !== null && (await this.passwords.verify(present, password, userId)) ? present : storedHash;
  }
}
