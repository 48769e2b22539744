import { Injectable } from '@nestjs/common';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { CredentialsWriter, UsersReader } from '../users/index.js';
import type { VerifyEmailRequest, VerifyEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMailer } from './auth.mailer.js';
import { MailedLinksService } from './mailed-links.service.js';
import { MailedTokensService } from './mailed-tokens.service.js';
import { VERIFICATION_LIFE_SECONDS } from './registration.recorder.js';

/** Confirms the address of a registered account, by the token that was mailed to it. */
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
   * The answer tells whether there is a password to sign in with, which only the reader of the mail learns.
   * @throws InvalidVerificationToken
   */
  async verify({ email, token }: VerifyEmailRequest, client: Client): Promise<VerifyEmailResponse> {
    // By the token first: a made-up one costs the same for every address, and none is refused under a lock.
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

  /** Answers before it looks anything up, so that neither text nor time tells about the address. */
  resend(email: string, client: Client): void {
    this.links.ask(email, client, {
      purpose: 'verify_email',
      lifeSeconds: VERIFICATION_LIFE_SECONDS,
      isFor: (user) => user.emailVerifiedAt === null,
      mail: ({ email: address, passwordHash }, token) =>
        this.mails.verification(address, token, { isVoid: passwordHash === null }),
    });
  }
}
