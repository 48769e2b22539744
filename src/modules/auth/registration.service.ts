import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Passwords, randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { SecurityEventsRepository, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { refuseAddressAsPassword, type User, UsersRepository } from '../users/index.js';
import type { RegisterRequest, RegisterResponse, VerifyEmailRequest, VerifyEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMails } from './auth-mails.js';
import { type RegistrationChoice, UserTokensRepository } from './user-tokens.repository.js';

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
    private readonly history: SecurityEventsRepository,
  ) {}

  /** The same answer and the same hash whether or not the address has an account; the mail comes after the answer. */
  async register(request: RegisterRequest, client: Client): Promise<RegisterResponse> {
    const { email, password, name } = request;
    refuseAddressAsPassword(password, email);
    const passwordHash = await this.passwords.hash(password);
    const choice: RegistrationChoice = { passwordHash, name: name ?? null };
    const token = randomToken();
    const created = await this.database.transaction(async (tx) => {
      const id = newId();
      if (!(await this.users.insert({ id, email, ...choice }, tx))) return false;
      await this.tokens.insert(verificationToken(id, token, choice), tx);
      await this.events.record({ userId: id, type: 'account_registered', client }, tx);
      return true;
    });
    this.background.start('registration mail', () =>
      created ? this.mails.verification(email, token) : this.remindOwner(email, choice, client),
    );
    return { message: 'Check your mail to confirm the address', email, verification_required: true };
  }

  /**
   * Whoever answers the mail gets the password of the registration that caused it, so that registering somebody
   * else's address first gains nothing.
   */
  async verify({ email, token }: VerifyEmailRequest, client: Client): Promise<VerifyEmailResponse> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new InvalidVerificationToken();
    await this.database.transaction(async (tx) => {
      await this.users.lock(user.id, tx);
      const choice = await this.tokens.consumeVerification(sha256(token), user.id, tx);
      if (choice === null) throw new InvalidVerificationToken();
      await this.users.confirm(user.id, choice, tx);
      await this.tokens.revokeAll(user.id, ['verify_email'], tx);
      await this.events.record({ userId: user.id, type: 'email_verified', client }, tx);
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

  private async remindOwner(email: string, choice: RegistrationChoice, client: Client): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (user === null) return;
    if (user.emailVerifiedAt === null) await this.sendVerification(user, choice);
    else if (await this.noteRepeated(user.id, client)) await this.mails.alreadyRegistered(user.email);
  }

  /** False within a minute of the last one: the owner is not mailed again. */
  private noteRepeated(userId: string, client: Client): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.users.lock(userId, tx);
      if (await this.history.happenedWithin(userId, 'registration_repeated', RESEND_PAUSE_SECONDS, tx)) return false;
      await this.events.record({ userId, type: 'registration_repeated', client }, tx);
      return true;
    });
  }

  /** At most one mail a minute: the row lock makes parallel requests see each other's token. */
  private async sendVerification(user: User, choice?: RegistrationChoice): Promise<void> {
    const token = randomToken();
    const due = await this.database.transaction(async (tx) => {
      await this.users.lock(user.id, tx);
      if (await this.tokens.madeWithin(user.id, 'verify_email', RESEND_PAUSE_SECONDS, tx)) return false;
      const candidate = choice ?? (await this.tokens.newestChoice(user.id, tx));
      await this.tokens.insert(verificationToken(user.id, token, candidate), tx);
      return true;
    });
    if (due) await this.mails.verification(user.email, token);
  }
}

function verificationToken(userId: string, token: string, candidate: RegistrationChoice | undefined) {
  return {
    id: newId(),
    userId,
    purpose: 'verify_email' as const,
    tokenHash: sha256(token),
    lifeSeconds: VERIFICATION_LIFE_SECONDS,
    candidate,
  };
}
