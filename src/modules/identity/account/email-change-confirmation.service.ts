import { Injectable } from '@nestjs/common';
import { constraintOf } from '../../../platform/http/error.filter.js';
import { MailedTokensService } from '../auth/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { CredentialsWriter, PasswordPolicy } from '../users/index.js';
import { InvalidEmailChangeToken } from './account.errors.js';

/** Replaces the address of an account when the new one is confirmed, and notifies the old address. */
@Injectable()
export class EmailChangeConfirmationService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly tokens: MailedTokensService,
    private readonly credentials: CredentialsWriter,
    private readonly events: SecurityEventsWriter,
  ) {}

  /**
   * @returns the new address
   * @throws ProviderSignInRequired
   * @throws InvalidEmailChangeToken, also when another account has taken the address in the meantime
   */
  async confirm(token: string, client: Client): Promise<string> {
    const shown = await this.tokens.find(token, 'change_email');
    const email = shown?.email ?? null;
    if (shown === null || email === null) throw new InvalidEmailChangeToken();
    this.policy.requireAllowed(email);
    const act: SecurityAct = { userId: shown.userId, type: 'email_changed', client, detail: { email } };
    // Tokens that were mailed to the old address must no longer open the account.
    const redeemed = this.tokens.redeem(shown, ['verify_email', 'reset_password', 'change_email'], async (user, tx) => {
      await this.credentials.changeEmail(user.id, email, tx);
      await this.events.record({ ...act, noticeTo: user.email }, tx);
      return email;
    });
    const changed = await redeemed.catch((error: unknown) => {
      throw constraintOf(error) === 'uq_users_email_key' ? new InvalidEmailChangeToken() : error;
    });
    if (changed === null) throw new InvalidEmailChangeToken();
    this.events.announce(act);
    return changed;
  }
}
