import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountTransactions, Refused } from '../account-transactions.js';
import { FactorInventoryReader } from '../factor-inventory.reader.js';
import { RecoveryCodesService } from '../recovery-codes/recovery-codes.service.js';
import { InvalidPasskeyRegistration, PasskeyInUse, PasskeyNotFound } from '../second-factors.errors.js';
import { requireRoom } from './passkey-limit.js';
import {
  passkeyResponse,
  type PasskeyResponse,
  type RegisteredPasskeyResponse,
  type RegisterPasskeyRequest,
} from './passkeys.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { challengeOf, type RegistrationInfo, RelyingPartyService } from './relying-party.service.js';
import { WebAuthnChallengesRepository } from './webauthn-challenges.repository.js';

/** Completes the registration of passkeys. */
@Injectable()
export class PasskeyRegistrationService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
    private readonly inventory: FactorInventoryReader,
    private readonly recoveryCodes: RecoveryCodesService,
  ) {}

  async verify(scope: UserScope, request: RegisterPasskeyRequest, client: Client): Promise<RegisteredPasskeyResponse> {
    const { credential, challenge_token: token, name } = request;
    const challenge = challengeOf(credential);
    const { userId, sessionId } = scope;
    const ceremony = { purpose: 'registration', userId, sessionId, token } as const;
    if (challenge === null) throw new InvalidPasskeyRegistration();
    // The challenge is consumed with the account's row locked, since a change of factors revokes the challenge.
    return this.transactions.runAs<RegisteredPasskeyResponse>(scope, client, async (act) => {
      if (!(await this.challenges.consume(challenge, ceremony, act.tx))) throw new InvalidPasskeyRegistration();
      const info = await this.relyingParty.verifyRegistration(credential, challenge);
      if (info === null) return new Refused(new InvalidPasskeyRegistration());
      requireRoom((await this.inventory.of(userId, act.tx)).passkeys);
      const passkey = await this.add(act, info, { name, transports: credential.response.transports ?? [] });
      if (passkey === null) return new Refused(new PasskeyInUse());
      const { recoveryCodes } = await this.inventory.of(userId, act.tx);
      return recoveryCodes > 0 ? passkey : { ...passkey, recovery_codes: await this.recoveryCodes.replace(act) };
    });
  }

  /** Stores the passkey, or returns null when an account already has the credential. */
  private async add(
    { tx, user, note }: AccountAct,
    info: RegistrationInfo,
    { name, transports }: { name: string; transports: string[] },
  ): Promise<PasskeyResponse | null> {
    const id = await this.passkeys.insert(
      {
        userId: user.id,
        name,
        credentialId: Buffer.from(info.credential.id, 'base64url'),
        publicKey: Buffer.from(info.credential.publicKey),
        signCount: String(info.credential.counter),
        backupEligible: info.credentialDeviceType === 'multiDevice',
        backedUp: info.credentialBackedUp,
        transports: [...new Set(transports)],
        // Challenges of registrations are issued only by the options route, which requires a proof.
        proven: true,
        uvInitialized: info.userVerified,
      },
      tx,
    );
    if (id === null) return null;
    await note('passkey_added', { passkey_id: id, name });
    const passkey = await this.passkeys.find(user.id, id, tx);
    if (passkey === null) throw new PasskeyNotFound();
    return passkeyResponse(passkey);
  }
}
