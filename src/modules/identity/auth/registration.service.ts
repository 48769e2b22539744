import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Passwords, randomToken } from '../../../platform/crypto/index.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import type { Client } from '../sessions/index.js';
import { emailKeyOf, refuseAddressAsPassword, UsersReader } from '../users/index.js';
import type { RegisterRequest, RegisterResponse } from './auth.dto.js';
import { AuthMailer } from './auth.mailer.js';
import { type Registration, type RegistrationOwner, RegistrationRecorder } from './registration.recorder.js';

/** An account changes from none over waiting and void to confirmed, so a registration meets few changes. */
const MOST_TRIES = 5;

/** From an address and a password to an account that waits for its confirmation, without telling strangers which addresses have one. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly users: UsersReader,
    private readonly passwords: Passwords,
    private readonly recorder: RegistrationRecorder,
    private readonly mails: AuthMailer,
    private readonly background: BackgroundWork,
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
    const { email, password, name = null } = request;
    refuseAddressAsPassword(password, email);
    return this.background.promising(addressBucket(client.ip ?? undefined), async (follow) => {
      const token = randomToken();
      const enter = async (): ReturnType<RegistrationRecorder['record']> =>
        this.recorder.record({ email, name, token, client, ...(await this.hashed(email, password)) });
      let entered = await enter();
      for (let tries = 1; entered === 'changed'; tries += 1) {
        if (tries === MOST_TRIES) throw new ServiceOverloaded();
        entered = await enter();
      }
      const { owner, isMailDue } = entered;
      follow({ name: 'registration', work: () => (isMailDue ? this.tell(owner, token) : Promise.resolve()) });
      return { message: 'Check your mail to confirm the address', email, verification_required: true };
    });
  }

  /** One hash in any case: where a password waits for its confirmation, this one is compared with it. */
  private async hashed(email: string, password: string): Promise<Pick<Registration, 'passwordHash' | 'waiting'>> {
    const known = await this.users.findByEmail(email);
    const waitingHash = known === null || known.emailVerifiedAt !== null ? null : known.passwordHash;
    const share = emailKeyOf(email);
    if (waitingHash === null) return { passwordHash: await this.passwords.hash(password, share), waiting: null };
    const isSame = await this.passwords.verify(waitingHash, password, share);
    return { passwordHash: null, waiting: { hash: waitingHash, isSame } };
  }

  private tell({ email, isConfirmed, isVoid }: RegistrationOwner, token: string): Promise<void> {
    return isConfirmed ? this.mails.alreadyRegistered(email) : this.mails.verification(email, token, { isVoid });
  }
}
