import { Injectable } from '@nestjs/common';
import { newUserId } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Passwords, randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database } from '../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { newId } from '../../../platform/ids/index.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { emailKeyOf, refuseAddressAsPassword, type User, UsersRepository } from '../users/index.js';
import type { RegisterRequest, RegisterResponse, VerifyEmailRequest, VerifyEmailResponse } from './auth.dto.js';
import { InvalidVerificationToken } from './auth.errors.js';
import { AuthMailer } from './auth.mailer.js';
import { MailedLinksService } from './mailed-links.service.js';
import { type NewUserToken, UserTokensRepository } from './user-tokens.repository.js';

const VERIFICATION_LIFE_SECONDS = 24 * 3600;
/** Between two mails to one address. */
const PAUSE_SECONDS = 60;
/** An account changes from none over waiting and void to confirmed, so a registration meets few changes. */
const MOST_TRIES = 5;

/** Who is mailed about a registration, and what of. */
interface Owner {
  readonly email: string;
  readonly isConfirmed: boolean;
  /** No password counts. */
  readonly isVoid: boolean;
}

/** From an address and a password to a verified account, without telling strangers which addresses have one. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly tokens: UserTokensRepository,
    private readonly passwords: Passwords,
    private readonly mails: AuthMailer,
    private readonly links: MailedLinksService,
    private readonly background: BackgroundWork,
    private readonly events: SecurityEventsWriter,
  ) {}

  /**
   * The same answer, one hash and the same statements in one transaction whatever the address is: unknown, waiting for its
   * confirmation, or an account's. The mail comes after the answer and asks the database nothing.
   *
   * Whoever registers somebody else's address first, or last, must not have their password confirmed by its owner's
   * mail, and nobody can tell the two apart: another password voids the one before, and both stay void (DECISIONS 2).
   * That is done here, before the answer, so that no mail can confirm what a second registration has put in doubt.
   */
  async register(request: RegisterRequest, client: Client): Promise<RegisterResponse> {
    const { email, password } = request;
    refuseAddressAsPassword(password, email);
    return this.background.promising(addressBucket(client.ip ?? undefined), async (follow) => {
      const token = randomToken();
      let entered = await this.enter(request, token, client);
      for (let tries = 1; entered === 'changed'; tries += 1) {
        if (tries === MOST_TRIES) throw new ServiceOverloaded();
        entered = await this.enter(request, token, client);
      }
      const { owner, isMailDue } = entered;
      follow({ name: 'registration', work: () => (isMailDue ? this.tell(owner, token) : Promise.resolve()) });
      return { message: 'Check your mail to confirm the address', email, verification_required: true };
    });
  }

  /** The answer tells whether there is a password to sign in with, which only the reader of the mail learns. */
  async verify({ email, token }: VerifyEmailRequest, client: Client): Promise<VerifyEmailResponse> {
    // By the token first: a made-up one costs the same for every address, and takes no lock.
    const tokenHash = sha256(token);
    const found = await this.tokens.find(tokenHash, 'verify_email');
    const user = found === null ? null : await this.users.findByEmail(email);
    if (user === null || user.id !== found?.userId) throw new InvalidVerificationToken();
    const { passwordHash } = await this.database.transaction(async (tx) => {
      const owner = await this.users.lock(user.id, tx);
      if ((await this.tokens.consume(tokenHash, 'verify_email', user.id, tx)) === null) {
        throw new InvalidVerificationToken();
      }
      await this.users.markVerified(user.id, tx);
      await this.tokens.revokeAll(user.id, ['verify_email'], tx);
      await this.events.record({ userId: user.id, type: 'email_verified', client }, tx);
      return owner;
    });
    const next = passwordHash === null ? '; choose a password by a reset' : '';
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

  /** `changed`: the account is not what the password was hashed for, because of an act at the same time. */
  private async enter(
    { email, password, name }: RegisterRequest,
    token: string,
    client: Client,
  ): Promise<{ owner: Owner; isMailDue: boolean } | 'changed'> {
    const known = await this.users.findByEmail(email);
    const waitingHash = known === null || known.emailVerifiedAt !== null ? null : known.passwordHash;
    // Compared by the hash it would have cost anyway.
    const isSame = waitingHash !== null && (await this.passwords.verify(waitingHash, password, emailKeyOf(email)));
    const passwordHash = waitingHash === null ? await this.passwords.hash(password, emailKeyOf(email)) : null;
    return this.database.transaction(async (tx) => {
      const isNew = await this.users.register({ id: newUserId(), email, passwordHash, name: name ?? null }, tx);
      const user = await this.users.findByEmailLocked(email, tx);
      if (user === null) return 'changed';
      const isConfirmed = user.emailVerifiedAt !== null;
      const isWaiting = !isNew && !isConfirmed && user.passwordHash !== null;
      if (isWaiting && user.passwordHash !== waitingHash) return 'changed';
      const isDisputed = isWaiting && !isSame;
      await this.users.voidRegistration(user.id, isDisputed, tx);
      const owner: Owner = { email: user.email, isConfirmed, isVoid: user.passwordHash === null || isDisputed };
      const isMailDue = await this.tokens.insertUnlessMadeWithin(registrationToken(user, token), PAUSE_SECONDS, tx);
      const type = isNew ? 'account_registered' : 'registration_repeated';
      await this.events.record({ userId: user.id, type, client }, tx);
      return { owner, isMailDue };
    });
  }

  private tell({ email, isConfirmed, isVoid }: Owner, token: string): Promise<void> {
    return isConfirmed ? this.mails.alreadyRegistered(email) : this.mails.verification(email, token, { isVoid });
  }
}

/** Of a confirmed account nobody's, good for nothing, which keeps its mails apart all the same. */
function registrationToken({ id: userId, emailKey, emailVerifiedAt }: User, token: string): NewUserToken {
  const owner = emailVerifiedAt === null ? { userId } : { strangerHash: sha256(`registered: ${emailKey}`) };
  return {
    id: newId(),
    ...owner,
    purpose: 'verify_email',
    tokenHash: sha256(token),
    lifeSeconds: VERIFICATION_LIFE_SECONDS,
  };
}
