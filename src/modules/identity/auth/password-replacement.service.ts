import { Injectable } from '@nestjs/common';
import { type SecurityAct, SecurityEventsReader, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, CredentialsResetNotifier, SessionsService } from '../sessions/index.js';
import { CredentialsWriter, PasswordPolicy, refuseAddressAsPassword } from '../users/index.js';
import { InvalidResetToken } from './auth.errors.js';
import { MailedTokensService, type ShownToken } from './mailed-tokens.service.js';
import { reviewOf } from './reset-review.js';

/** Redeems a reset token for a new password, and ends everything that the old password may have opened. */
@Injectable()
export class PasswordReplacementService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly tokens: MailedTokensService,
    private readonly credentials: CredentialsWriter,
    private readonly reset: CredentialsResetNotifier,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsReader,
  ) {}

  /**
   * @returns the account's address
   * @throws InvalidResetToken when the token was used in the meantime
   * @throws ProviderSignInRequired
   */
  async run(
    shown: ShownToken,
    { password, passwordHash }: { readonly password: string; readonly passwordHash: string },
    client: Client,
  ): Promise<string> {
    const replaced = await this.tokens.redeem(shown, ['reset_password', 'change_email'], async (user, tx) => {
      this.policy.requireAllowed(user.email);
      refuseAddressAsPassword(password, user.email);
      await this.credentials.replacePasswordHash(user.id, passwordHash, tx);
      // The token was mailed to the account's address, so the user can read mail there. Verifying the address would
      // prove no more.
      await this.credentials.markVerified(user.id, tx);
      const waysIn = await this.reset.run(user.id, tx);
      const detail = reviewOf(waysIn, await this.history.lastPasswordSignIn(user.id, tx));
      const act: SecurityAct = { userId: user.id, type: 'password_reset', client, detail };
      await this.events.record(act, tx);
      return { ended: await this.sessions.revokeAllOf(user.id, tx), email: user.email, act };
    });
    if (replaced === null) throw new InvalidResetToken();
    this.sessions.forget(replaced.ended);
    this.events.announce(replaced.act);
    return replaced.email;
  }
}
