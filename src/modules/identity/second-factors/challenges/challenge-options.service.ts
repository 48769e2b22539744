import { Injectable } from '@nestjs/common';
import { FactorInventoryReader, methodsOf } from '../factor-inventory.reader.js';
import type { CeremonyResponse } from '../passkeys/passkeys.dto.js';
import { PasskeysRepository } from '../passkeys/passkeys.repository.js';
import { RelyingPartyService } from '../passkeys/relying-party.service.js';
import { WebAuthnChallengesRepository } from '../passkeys/webauthn-challenges.repository.js';
import { NoPasskey } from '../second-factors.errors.js';
import type { ChallengeMethodsResponse } from './challenges.dto.js';
import { OpenChallengesService } from './open-challenges.service.js';

/** Returns the methods that can answer a sign-in challenge, and the options of a passkey assertion. */
@Injectable()
export class ChallengeOptionsService {
  constructor(
    private readonly open: OpenChallengesService,
    private readonly inventory: FactorInventoryReader,
    private readonly passkeys: PasskeysRepository,
    private readonly webauthn: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
  ) {}

  async methods(token: string): Promise<ChallengeMethodsResponse> {
    const { userId, secondsLeft } = await this.open.get(token);
    return { methods: methodsOf(await this.inventory.of(userId)), challenge_expires_in: secondsLeft };
  }

  async passkeyOptions(token: string): Promise<CeremonyResponse> {
    const { userId } = await this.open.get(token);
    const known = await this.passkeys.list(userId);
    if (known.length === 0) throw new NoPasskey();
    const challenge = await this.webauthn.issue({ purpose: 'second_factor', userId, sessionId: null, token });
    const options = await this.relyingParty.requestOptions(challenge, known, 'preferred');
    return { challenge_token: token, options: { ...options } };
  }
}
