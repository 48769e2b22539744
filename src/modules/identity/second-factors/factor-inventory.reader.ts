import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { AccountAct } from './account-transactions.js';
import { SecondFactorFailuresRepository } from './challenges/second-factor-failures.repository.js';
import { SignInChallengesRepository } from './challenges/sign-in-challenges.repository.js';
import { ElevatedSessionsService } from './elevated-sessions.service.js';
import { type Factors, FactorsReader } from './factors.reader.js';
import { RecoveryCodesRepository } from './recovery-codes/recovery-codes.repository.js';
import { TrustedDevicesRepository } from './trusted-devices/trusted-devices.repository.js';

export type { Factors } from './factors.reader.js';

export const FACTOR_METHODS = ['totp', 'passkey', 'recovery_code'] as const;
export type FactorMethod = (typeof FACTOR_METHODS)[number];

/** Returns whether the account has a second factor: an authenticator app or a passkey. */
export function hasSecondFactor({ totp, passkeys }: Factors): boolean {
  return totp || passkeys > 0;
}

export function methodsOf({ totp, passkeys, recoveryCodes }: Factors): FactorMethod[] {
  const standing = { totp, passkey: passkeys > 0, recovery_code: recoveryCodes > 0 };
  return FACTOR_METHODS.filter((method) => standing[method]);
}

/** Reads which second factors an account has, and cleans up when the last one is removed. */
@Injectable()
export class FactorInventoryReader {
  constructor(
    private readonly factors: FactorsReader,
    private readonly elevatedSessions: ElevatedSessionsService,
    private readonly devices: TrustedDevicesRepository,
    private readonly codes: RecoveryCodesRepository,
    private readonly challenges: SignInChallengesRepository,
    private readonly failures: SecondFactorFailuresRepository,
  ) {}

  of(userId: UserId, db?: Db): Promise<Factors> {
    return this.factors.of(userId, db);
  }

  /**
   * Cleans up after the removal of a factor. When no second factor is left, trusted devices, recovery codes, open
   * challenges and counted failures are deleted.
   * @returns the remaining factors
   */
  async tidy({ tx, user, note }: AccountAct): Promise<Factors> {
    const left = await this.of(user.id, tx);
    if (hasSecondFactor(left)) return left;
    const revoked = await this.devices.removeAllOf(user.id, tx);
    if (revoked > 0) await note('trusted_device_revoked', { devices: revoked, reason: 'last factor removed' });
    await this.forgetCompanions(user.id, tx);
    return { ...left, recoveryCodes: 0 };
  }

  /** Does the same as {@link tidy} when the trusted devices are already removed. */
  async tidyWithoutDevices(userId: UserId, tx: Db): Promise<void> {
    if (!hasSecondFactor(await this.of(userId, tx))) await this.forgetCompanions(userId, tx);
  }

  private async forgetCompanions(userId: UserId, tx: Db): Promise<void> {
    await this.codes.remove(userId, true, tx);
    await this.elevatedSessions.endOf(userId, 'recovery_code', tx);
    await this.challenges.closeAllOf(userId, tx);
    await this.failures.remove(userId, tx);
  }
}
