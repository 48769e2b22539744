import { Injectable } from '@nestjs/common';
import { Passwords } from '../../../platform/crypto/index.js';
import { PasswordVerifier } from '../proof/index.js';
import type { Client } from '../sessions/index.js';
import { PasswordPolicy } from '../users/index.js';
import { InvalidResetToken } from './auth.errors.js';
import { AuthMailer } from './auth.mailer.js';
import { MailedLinksService } from './mailed-links.service.js';
import { MailedTokensService } from './mailed-tokens.service.js';
import { PasswordReplacementService } from './password-replacement.service.js';
import type { ConfirmPasswordResetRequest } from './password-reset.dto.js';

const LIFE_SECONDS = 3600;

/**
 * Sets a new password for a user who can read the account's mail. A reset signs nobody in and leaves the second factor
 * as it is. It ends every session and every trusted device and removes passkeys that were added without a proof, since
 * somebody else may have had the old password. The mail to the owner lists the factors and sign-in providers that stay,
 * and which of them are newer than the last sign-in with the old password.
 */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly tokens: MailedTokensService,
    private readonly passwords: Passwords,
    private readonly passwordCheck: PasswordVerifier,
    private readonly replacement: PasswordReplacementService,
    private readonly mails: AuthMailer,
    private readonly links: MailedLinksService,
  ) {}

  /**
   * Starts the request in the background, so that neither the response nor its time reveals whether the address has an
   * account.
   * @throws ProviderSignInRequired
   */
  request(email: string, client: Client): void {
    this.policy.requireAllowed(email);
    this.links.ask(email, client, {
      purpose: 'reset_password',
      lifeSeconds: LIFE_SECONDS,
      event: 'password_reset_requested',
      isFor: ({ disabledAt }) => disabledAt === null,
      mail: ({ email: address }, token) => this.mails.passwordReset(address, token),
    });
  }

  async isValid(token: string): Promise<boolean> {
    return (await this.tokens.find(token, 'reset_password')) !== null;
  }

  /**
   * @throws InvalidResetToken for a token that is wrong, used or expired
   * @throws ProviderSignInRequired
   */
  async confirm({ token, password }: ConfirmPasswordResetRequest, client: Client): Promise<void> {
    // The token is checked first, so that an invented token costs no hash.
    const shown = await this.tokens.find(token, 'reset_password');
    if (shown === null) throw new InvalidResetToken();
    const passwordHash = await this.passwords.hash(password, shown.userId);
    const email = await this.replacement.run(shown, { password, passwordHash }, client);
    await this.passwordCheck.forgive(email);
  }
}
