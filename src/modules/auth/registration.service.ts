import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Passwords, randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { addressBucket } from '../../platform/rate-limit/index.js';
import { SecurityEventsRepository, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { emailKeyOf, refuseAddressAsPassword, type User, UsersRepository } from '../users/index.js';
import type { RegisterRequest, RegisterResponse, VerifyEmailRequest, VerifyEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMails } from './auth-mails.js';
import { MailedLinks } from './mailed-links.js';
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
    private readonly links: MailedLinks,
    private readonly background: BackgroundWork,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsRepository,
  ) {}

  /**
   * The same answer, the same hash and one transaction of the same weight whether or not the address has an account;
   * the mail comes after the answer.
   */
  async register(request: RegisterRequest, client: Client): Promise<RegisterResponse> {
    const { email, password, name } = request;
    this.background.requireRoom('promised');
    refuseAddressAsPassword(password, email);
    const choice: RegistrationChoice = {
      passwordHash: await this.passwords.hash(password, emailKeyOf(email)),
      name: name ?? null,
    };
    const token = randomToken();
    const created = await this.database.transaction(async (tx) => {
      const id = newId();
      if (await this.users.insert({ id, email, ...choice }, tx)) {
        await this.tokens.insert(verificationToken(id, token, choice), tx);
        await this.events.record({ userId: id, type: 'account_registered', client }, tx);
        return true;
      }
      const user = await this.users.findByEmail(email, tx);
      if (user !== null) await this.events.record({ userId: user.id, type: 'registration_repeated', client }, tx);
      return false;
    });
    this.background.start('promised', {
      name: 'registration',
      share: addressBucket(client.ip ?? undefined),
      work: () => (created ? this.mails.verification(email, token) : this.answerRepeated(email, password, choice)),
    });
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
  resend(email: string, client: Client): void {
    this.links.ask(email, client, {
      purpose: 'verify_email',
      lifeSeconds: VERIFICATION_LIFE_SECONDS,
      isFor: (user) => user.emailVerifiedAt === null,
      candidate: (userId, tx) => this.candidateOf(userId, tx),
      mail: (user, token) => this.mails.verification(user.email, token),
    });
  }

  /** Of several registrations none counts, since no mail can tell them apart. */
  private async candidateOf(userId: string, tx: Db): Promise<RegistrationChoice | undefined> {
    const known = await this.tokens.choicesOf(userId, tx);
    if (known.length <= 1) return known[0];
    await this.tokens.forgetChoices(userId, tx);
    await this.users.forgetPassword(userId, tx);
    return undefined;
  }

  private async answerRepeated(email: string, password: string, choice: RegistrationChoice): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (user === null) return;
    if (user.emailVerifiedAt !== null) {
      // This repetition is recorded already; a second one within the minute is not mailed.
      const repeated = await this.history.countWithin(user.id, 'registration_repeated', RESEND_PAUSE_SECONDS);
      if (repeated <= 1) await this.mails.alreadyRegistered(user.email);
      return;
    }
    const known = await this.tokens.choicesOf(user.id);
    const [newest] = known;
    const isSame =
      newest !== undefined &&
      known.length === 1 &&
      (await this.passwords.verify(newest.passwordHash, password, user.id));
    await this.sendVerification(user, isSame ? newest : choice);
  }

  /**
   * At most one mail a minute: the row lock makes parallel requests see each other's token. Where several people may
   * have registered the address and no mail can tell them apart, none of their passwords counts: the address can
   * still be confirmed, and its owner chooses a password by a reset.
   */
  private async sendVerification(user: User, choice: RegistrationChoice): Promise<void> {
    const token = randomToken();
    const due = await this.database.transaction(async (tx) => {
      const owner = await this.users.lock(user.id, tx);
      if (owner.emailVerifiedAt !== null) return false;
      const known = await this.tokens.choicesOf(user.id, tx);
      const isDue = !(await this.tokens.madeWithin(user.id, 'verify_email', RESEND_PAUSE_SECONDS, tx));
      const isOthers = known.some(({ passwordHash }) => passwordHash !== choice.passwordHash);
      if (isOthers && !isDue) {
        await this.tokens.forgetChoices(user.id, tx);
        await this.users.forgetPassword(user.id, tx);
      }
      if (!isDue) return false;
      await this.tokens.insert(verificationToken(user.id, token, choice), tx);
      return true;
    });
    if (due) await this.mails.verification(user.email, token);
  }
}

function verificationToken(userId: string, token: string, candidate: RegistrationChoice) {
  return {
    id: newId(),
    userId,
    purpose: 'verify_email' as const,
    tokenHash: sha256(token),
    lifeSeconds: VERIFICATION_LIFE_SECONDS,
    candidate,
  };
}
