import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Passwords, randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { refuseAddressAsPassword, type User, UsersRepository } from '../users/index.js';
import type { RegisterRequest, RegisterResponse, VerifyEmailRequest, VerifyEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMails } from './auth-mails.js';
import { UserTokensRepository } from './user-tokens.repository.js';

const VERIFICATION_LIFE_SECONDS = 24 * 3600;
const RESEND_PAUSE_SECONDS = 60;

/** From an address and a password to a verified account, without telling strangers which addresses have one. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly tokens: UserTokensRepository,
    private readonly passwords: Passwords,
    private readonly mails: AuthMails,
    private readonly background: BackgroundWork,
    private readonly events: SecurityEventsWriter,
  ) {}

  /** The same answer and the same hash whether or not the address has an account; the mail comes after the answer. */
  async register(request: RegisterRequest, client: Client): Promise<RegisterResponse> {
    const { email, password, name } = request;
    refuseAddressAsPassword(password, email);
    const passwordHash = await this.passwords.hash(password);
    const token = randomToken();
    const created = await this.database.transaction(async (tx) => {
      const id = newId();
      if (!(await this.users.insert({ id, email, passwordHash, name: name ?? null }, tx))) return false;
      await this.tokens.insert(verificationToken(id, token), tx);
      await this.events.record({ userId: id, type: 'account_registered', client }, tx);
      return true;
    });
    this.background.start('registration mail', () =>
      created ? this.mails.verification(email, token) : this.remindOwner(email),
    );
    return { message: 'Check your mail to confirm the address', email, verification_required: true };
  }

  async verify({ email, token }: VerifyEmailRequest, client: Client): Promise<VerifyEmailResponse> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new InvalidVerificationToken();
    await this.database.transaction(async (tx) => {
      await this.users.lock(user.id, tx);
      const owner = await this.tokens.consume(sha256(token), 'verify_email', user.id, tx);
      if (owner === null) throw new InvalidVerificationToken();
      await this.users.markVerified(owner, tx);
      await this.events.record({ userId: owner, type: 'email_verified', client }, tx);
    });
    return { message: 'The address is confirmed', email_verified: true };
  }

  /** Answers before it looks anything up, so that neither text nor time tells about the address. */
  resend(email: string): void {
    this.background.start('resend verification', async () => {
      const user = await this.users.findByEmail(email);
      if (user !== null && user.emailVerifiedAt === null) await this.sendVerification(user);
    });
  }

  private async remindOwner(email: string): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (user === null) return;
    if (user.emailVerifiedAt === null) await this.sendVerification(user);
    else await this.mails.alreadyRegistered(user.email);
  }

  /** At most one mail a minute: the row lock makes parallel requests see each other's token. */
  private async sendVerification(user: User): Promise<void> {
    const token = randomToken();
    const due = await this.database.transaction(async (tx) => {
      await this.users.lock(user.id, tx);
      if (await this.tokens.madeWithin(user.id, 'verify_email', RESEND_PAUSE_SECONDS, tx)) return false;
      await this.tokens.insert(verificationToken(user.id, token), tx);
      return true;
    });
    if (due) await this.mails.verification(user.email, token);
  }
}

function verificationToken(userId: string, token: string) {
  return {
    id: newId(),
    userId,
    purpose: 'verify_email' as const,
    tokenHash: sha256(token),
    lifeSeconds: VERIFICATION_LIFE_SECONDS,
  };
}
