import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type ProofMethod, StepUpTokensWriter } from '../proof/index.js';
import { WebAuthnChallengesRepository } from './passkeys/webauthn-challenges.repository.js';
import { TrustedDevicesRepository } from './trusted-devices/trusted-devices.repository.js';

/**
 * What a proof has earned for the time after it: step-up tokens, the leave to add a passkey, and trusted devices. It ends with what it
 * was earned by: whoever changes the password or removes a factor may do so because somebody else has it. Callers hold the
 * account's row, so that no proof by it comes in between.
 */
@Injectable()
export class EarnedProofsService {
  constructor(
    private readonly stepUps: StepUpTokensWriter,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly devices: TrustedDevicesRepository,
  ) {}

  /** After a new password. @returns how many trusted devices there were */
  async endAll(userId: UserId, tx: Db): Promise<number> {
    await this.stepUps.revokeAllOf(userId, tx);
    await this.challenges.forgetRegistrations(userId, tx);
    return this.devices.removeAllOf(userId, tx);
  }

  /** After the end of a factor, of one passkey among several too: what other factors earned for step-ups stays. */
  async endOf(userId: UserId, method: ProofMethod, tx: Db): Promise<void> {
    await this.stepUps.revokeEarnedBy(userId, method, tx);
    await this.challenges.forgetRegistrations(userId, tx);
  }
}
