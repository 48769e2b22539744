import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Passwords, randomToken } from '../../../platform/crypto/index.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import type { Client } from '../sessions/index.js';
import { emailKeyOf, PasswordPolicy, refuseAddressAsPassword, UsersReader } from '../users/index.js';
import type { RegisterRequest, RegisterResponse } from './auth.dto.js';
import { AuthMailer } from './auth.mailer.js';
import { type Registration, type RegistrationOwner, RegistrationRecorder } from './registration.recorder.js';

/**
 * Maximum attempts of a registration. The state of an account only moves forward (absent, unverified, void, verified),
 * so a registration meets few concurrent changes. Beyond the maximum the response is 503.
 */
const MOST_TRIES = 5;

/** Registers an account whose address is not verified yet, without revealing which addresses have an account. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly users: UsersReader,
    private readonly passwords: Passwords,
    private readonly recorder: RegistrationRecorder,
    private readonly mails: AuthMailer,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Registers an account. The response, the number of hashes and the statements in one transaction are the same for an
   * unknown address, an unverified one and a verified one. The mail is sent after the response and needs no query.
   *
   * A stranger may register the address of another person first or last, and must not get their own password confirmed
   * by the owner's mail. The service cannot tell the stranger from the owner. So a registration with a different
   * password voids the earlier password, and both stay void. The passwords are voided before the response, so that no
   * mail can confirm a password that a second registration has disputed.
   * @throws ProviderSignInRequired
   */
  async register(request: RegisterRequest, client: Client): Promise<RegisterResponse> {
    const { email, password, name = null } = request;
    this.policy.requireAllowed(email);
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

  /**
   * Computes one hash in every case. When an unverified registration has a password, the new password is compared with
   * it.
   */
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
