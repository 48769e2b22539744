import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { Passwords } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { MailedTokensService } from '../auth/index.js';
import { ChangeProofService, ElevatedSessionsService, type ProvenChange } from '../second-factors/index.js';
import { SecurityEventsReader } from '../security-events/index.js';
import { SessionsService } from '../sessions/index.js';
import { CredentialsWriter, PasswordPolicy, refuseAddressAsPassword } from '../users/index.js';
import { TooManyPasswordChanges } from './account.errors.js';

/**
 * Maximum password changes per account and hour, since each one costs two hashes and a mail. Beyond the maximum the
 * response is 429.
 */
const MOST_CHANGES_AN_HOUR = 10;
const HOUR_SECONDS = 3600;

/** Changes the password of a user who proves the current one. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly credentials: CredentialsWriter,
    private readonly tokens: MailedTokensService,
    private readonly passwords: Passwords,
    private readonly proof: ChangeProofService,
    private readonly elevatedSessions: ElevatedSessionsService,
    private readonly sessions: SessionsService,
    private readonly history: SecurityEventsReader,
  ) {}

  /**
   * Changes the password, revokes the other sessions, the trusted devices and the step-up tokens, and voids mailed
   * reset and address-change tokens. The session is checked again with the account's row locked, so that a concurrent
   * reset by mail wins.
   * @throws TooManyPasswordChanges, ProviderSignInRequired
   */
  async change(change: ProvenChange, password: string): Promise<void> {
    const { scope } = change;
    const shown = await this.proof.begin(change);
    await this.refuseFurtherChanges(scope);
    const passwordHash = await this.passwords.hash(password, scope.userId);
    const ended = await this.proof.complete(change, shown, async ({ tx, user, note }) => {
      await this.refuseFurtherChanges(scope, tx);
      this.policy.requireAllowed(user.email);
      refuseAddressAsPassword(password, user.email);
      await this.credentials.replacePasswordHash(user.id, passwordHash, tx);
      const devices = await this.elevatedSessions.endAll(user.id, tx);
      await this.tokens.revoke(user.id, ['reset_password', 'change_email'], tx);
      await note('password_changed');
      if (devices > 0) await note('trusted_device_revoked', { devices, reason: 'password changed' });
      return this.sessions.revokeAllOf(user.id, tx, scope.sessionId);
    });
    this.sessions.forget(ended);
  }

  private async refuseFurtherChanges({ userId }: UserScope, db?: Db): Promise<void> {
    const changes = await this.history.countWithin(userId, 'password_changed', HOUR_SECONDS, db);
    if (changes >= MOST_CHANGES_AN_HOUR) throw new TooManyPasswordChanges();
  }
}
