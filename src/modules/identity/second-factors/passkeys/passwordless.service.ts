import { Injectable } from '@nestjs/common';
import { randomToken } from '../../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../../platform/http/domain-error.js';
import { type Client, SessionsService, type TokenResponse } from '../../sessions/index.js';
import { AccountTransactions, Refused } from '../account-transactions.js';
import { InvalidAuthenticationCode, InvalidChallenge } from '../second-factors.errors.js';
import { PasskeyAssertionVerifier } from './passkey-assertion.verifier.js';
import type { CeremonyResponse } from './passkeys.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';
import type { PasswordlessRequest } from './passwordless.dto.js';
import { challengeOf, RelyingPartyService } from './relying-party.service.js';
import { WebAuthnChallengesRepository } from './webauthn-challenges.repository.js';

/** Signs users in with a discoverable passkey that verifies its user, which counts as two factors. */
@Injectable()
export class PasswordlessService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
    private readonly assertions: PasskeyAssertionVerifier,
    private readonly sessions: SessionsService,
  ) {}

  async options(): Promise<CeremonyResponse> {
    const token = randomToken();
    const challenge = await this.challenges.issue({ purpose: 'passwordless', userId: null, sessionId: null, token });
    const options = await this.relyingParty.requestOptions(challenge, [], 'required');
    return { challenge_token: token, options: { ...options } };
  }

  /**
   * Signs the owner of the passkey in. An unknown passkey gets the same response as a wrong assertion of a known one.
   * The locks for passwords and second factors do not apply to this sign-in.
   */
  async verify({ challenge_token: token, credential }: PasswordlessRequest, client: Client): Promise<TokenResponse> {
    const challenge = challengeOf(credential);
    const ceremony = { purpose: 'passwordless', userId: null, sessionId: null, token } as const;
    if (challenge === null || !(await this.challenges.consume(challenge, ceremony))) throw new InvalidChallenge();
    const owner = await this.passkeys.ownerOf(Buffer.from(credential.id, 'base64url'));
    // The authenticator must send the user handle, which says to which account the passkey belongs.
    if (owner === null || !credential.response.userHandle) throw new InvalidAuthenticationCode();
    try {
      await this.transactions.run<null>(owner, client, async (act) => {
        const terms = { userVerification: 'required', role: 'alone' } as const;
        if (await this.assertions.isGood(act, credential, challenge, terms)) return null;
        return new Refused(new InvalidAuthenticationCode());
      });
      return await this.sessions.open(owner, 'passkey', client);
    } catch (error) {
      // NotAuthenticated means that the account was deleted during the sign-in.
      throw error instanceof NotAuthenticated ? new InvalidAuthenticationCode() : error;
    }
  }
}
