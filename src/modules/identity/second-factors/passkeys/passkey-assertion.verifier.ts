import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import type { AccountAct } from '../account-acts.service.js';
import type { AssertionCredential } from './credentials.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { challengeOf, RelyingPartyService, userHandleOf } from './relying-party.service.js';
import { type Ceremony, WebAuthnChallengesRepository } from './webauthn-challenges.repository.js';

/** What an assertion proves in addition to the factors that were shown before. */
interface AssertionTerms {
  readonly userVerification: 'required' | 'preferred';
  /** `alone`: it signs in by itself. `after_first_factor`: another factor came before. `in_session`: its owner is signed in. */
  readonly role: 'alone' | 'after_first_factor' | 'in_session';
}

/** A signed answer and the ceremony it was asked for in. */
export interface AssertionOffer extends AssertionTerms {
  readonly credential: AssertionCredential;
  readonly ceremony: Ceremony;
}

/** Judges passkey assertions: whose they are, that their challenge is used once, and that the key was not copied. */
@Injectable()
export class PasskeyAssertionVerifier {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
  ) {}

  /** True for a good assertion by a passkey of the account; its challenge is used up either way. */
  async accept(act: AccountAct, { credential, ceremony, ...terms }: AssertionOffer): Promise<boolean> {
    const challenge = challengeOf(credential);
    if (challenge === null || !(await this.challenges.consume(challenge, ceremony, act.tx))) return false;
    return this.isGood(act, credential, challenge, terms);
  }

  /** For a challenge that the caller has used up. */
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

/** Authenticators tell the handle of discoverable passkeys; left out it says nothing. */
function namesOwner({ response }: AssertionCredential, userId: UserId): boolean {
  const handle = response.userHandle ?? '';
  return handle === '' || Buffer.from(handle, 'base64url').equals(userHandleOf(userId));
}
