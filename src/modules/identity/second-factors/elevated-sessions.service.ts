import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type ProofMethod, StepUpTokensWriter } from '../proof/index.js';
import { WebAuthnChallengesRepository } from './passkeys/webauthn-challenges.repository.js';
import { TrustedDevicesRepository } from './trusted-devices/trusted-devices.repository.js';

/**
 * Ends everything that an earlier proof permits: step-up tokens, the registration of a passkey, and trusted devices. A
 * user may change the password or remove a factor because somebody else has it, so these permissions end together with
 * the password or factor that earned them. Callers lock the account's row, so that no proof with the old factor is
 * accepted concurrently.
 */
@Injectable()
export class ElevatedSessionsService {
  constructor(
    private readonly stepUps: StepUpTokensWriter,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly devices: TrustedDevicesRepository,
  ) {}

  /**
   * Ends everything that earlier proofs permit, after a password change.
   * @returns the number of trusted devices that were removed
   */
  async endAll(userId: UserId, tx: Db): Promise<number> {
    await this.stepUps.revokeAllOf(userId, tx);
    await this.challenges.forgetRegistrations(userId, tx);
    return this.devices.removeAllOf(userId, tx);
  }

  /**
   * Ends everything that proofs with a factor permit, after the removal of the factor. This applies also when one of
   * several passkeys is removed. Step-up tokens that were earned by other factors stay.
   */
  async endOf(userId: UserId, method: ProofMethod, tx: Db): Promise<void> {
    await this.stepUps.revokeEarnedBy(userId, method, tx);
    await this.challenges.forgetRegistrations(userId, tx);
  }
}
