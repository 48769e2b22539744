import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import type { AccountAct } from '../account-transactions.js';
import type { AssertionCredential } from './credentials.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { challengeOf, RelyingPartyService, userHandleOf } from './relying-party.service.js';
import { type Ceremony, WebAuthnChallengesRepository } from './webauthn-challenges.repository.js';

/** The requirements for an assertion, and the factors that were shown before. */
interface AssertionTerms {
  readonly userVerification: 'required' | 'preferred';
  /**
   * `alone`: the passkey is the whole sign-in. `after_first_factor`: another factor was shown before. `in_session`: the
   * user is signed in.
   */
  readonly role: 'alone' | 'after_first_factor' | 'in_session';
}

/** An assertion and the ceremony that it answers. */
export interface AssertionOffer extends AssertionTerms {
  readonly credential: AssertionCredential;
  readonly ceremony: Ceremony;
}

/**
 * Verifies passkey assertions: that they belong to the account, that their challenge is used once, and that the key was
 * not copied.
 */
@Injectable()
export class PasskeyAssertionVerifier {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
  ) {}

  /**
   * Returns whether the assertion is valid and made by a passkey of the account. The challenge is used up in either
   * case.
   */
  async accept(act: AccountAct, { credential, ceremony, ...terms }: AssertionOffer): Promise<boolean> {
    const challenge = challengeOf(credential);
    if (challenge === null || !(await this.challenges.consume(challenge, ceremony, act.tx))) return false;
    return this.isGood(act, credential, challenge, terms);
  }

  /** Returns whether the assertion is valid, for a challenge that the caller has consumed. */
  async isGood(
    act: AccountAct,
    credential: AssertionCredential,
    challenge: string,
    { userVerification, role }: AssertionTerms,
  ): Promise<boolean> {
    const { tx, user, note } = act;
    const passkey = await this.passkeys.findByCredential(user.id, Buffer.from(credential.id, 'base64url'), tx);
    if (passkey === null || !namesOwner(credential, user.id)) return false;
    const { publicKey } = passkey;
    const info = await this.relyingParty.verifyAssertion(credential, { challenge, publicKey, userVerification });
    if (info === null) return false;
    if ((info.credentialDeviceType === 'multiDevice') !== passkey.backupEligible) return false;

    const known = Number(passkey.signCount);
    const given = info.newCounter;
    if ((given > 0 || known > 0) && given <= known) {
      await note('passkey_counter_regressed', { passkey_id: passkey.id, name: passkey.name });
      return false;
    }
    if (role === 'alone' && !passkey.uvInitialized) return false;
    const initializesUv = role === 'after_first_factor' && info.userVerified;
    const use = { signCount: given, backedUp: info.credentialBackedUp, initializesUv };
    await this.passkeys.markUsed(user.id, passkey.id, use, tx);
    return true;
  }
}

/**
 * Returns whether the user handle names the account. Authenticators send the handle for discoverable passkeys. A
 * missing handle is accepted.
 */
function namesOwner({ response }: AssertionCredential, userId: UserId): boolean {
  const handle = response.userHandle ?? '';
  return handle === '' || Buffer.from(handle, 'base64url').equals(userHandleOf(userId));
}
