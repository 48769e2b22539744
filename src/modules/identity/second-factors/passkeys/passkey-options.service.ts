import { Injectable } from '@nestjs/common';
import { randomToken } from '../../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../../platform/http/domain-error.js';
import { UsersReader } from '../../users/index.js';
import { ChangeProofService, type ProvenChange } from '../change-proof.service.js';
import { requireRoom } from './passkey-limit.js';
import type { CeremonyResponse } from './passkeys.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { RelyingPartyService } from './relying-party.service.js';
import { WebAuthnChallengesRepository } from './webauthn-challenges.repository.js';

/** Starts the registration of passkeys. */
@Injectable()
export class PasskeyOptionsService {
  constructor(
    private readonly users: UsersReader,
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
    private readonly proof: ChangeProofService,
  ) {}

  /**
   * Returns the options for a new passkey. This requires a proof: a passkey outlives the session that added it, so a
   * stolen session alone must not be able to add one.
   */
  async options(change: ProvenChange): Promise<CeremonyResponse> {
    await this.proof.require(change, { allow: ({ passkeys }) => requireRoom(passkeys) });
    const { userId, sessionId } = change.scope;
    const user = await this.users.findById(userId);
    if (user === null) throw new NotAuthenticated();
    const token = randomToken();
    const challenge = await this.challenges.issue({ purpose: 'registration', userId, sessionId, token });
    const options = await this.relyingParty.creationOptions(user, challenge, await this.passkeys.list(userId));
    return { challenge_token: token, options: { ...options } };
  }
}
