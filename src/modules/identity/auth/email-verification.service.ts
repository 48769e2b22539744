import { Injectable } from '@nestjs/common';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { CredentialsWriter, UsersReader } from '../users/index.js';
import type { VerifyEmailRequest, VerifiedEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMailer } from './auth.mailer.js';
import { MailedLinksService } from './mailed-links.service.js';
import { MailedTokensService } from './mailed-tokens.service.js';
import { VERIFICATION_LIFE_SECONDS } from './registration.recorder.js';

/** Verifies the address of a registered account with the token that was mailed to the address. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly tokens: MailedTokensService,
    private readonly users: UsersReader,
    private readonly credentials: CredentialsWriter,
    private readonly events: SecurityEventsWriter,
    private readonly links: MailedLinksService,
    private readonly mails: AuthMailer,
  ) {}

  /**
   * Verifies an address. The response says whether the account has a password. Only the recipient of the mail can learn
   * that.
   * @throws InvalidVerificationToken
   */
  async verify({ email, token }: VerifyEmailRequest, client: Client): Promise<VerifiedEmailResponse> {
    // The token is checked first. An invented token then costs the same for every address, and no request is refused
    // while a lock is held.
    const shown = await this.tokens.find(token, 'verify_email');
    const user = shown === null ? null : await this.users.findByEmail(email);
    if (shown === null || user?.id !== shown.userId) throw new InvalidVerificationToken();
    const confirmed = await this.tokens.redeem(shown, ['verify_email'], async (owner, tx) => {
      await this.credentials.markVerified(owner.id, tx);
      await this.events.record({ userId: owner.id, type: 'email_verified', client }, tx);
      return owner;
    });
    if (confirmed === null) throw new InvalidVerificationToken();
    const next = confirmed.passwordHash === null ? '; choose a password by a reset' : '';
    return { message: `The address is confirmed${next}`, email_verified: true };
  }

  /**
   * Starts the request in the background, so that neither the response nor its time reveals whether the address has an
   * account.
   */
  resend(email: string, client: Client): void {
    this.links.ask(email, client, {
      purpose: 'verify_email',
      lifeSeconds: VERIFICATION_LIFE_SECONDS,
      isFor: (user) => user.emailVerifiedAt === null && user.disabledAt === null,
      mail: ({ email: address, passwordHash }, token) =>
        this.mails.verification(address, token, { isVoid: passwordHash === null }),
    });
  }
}
