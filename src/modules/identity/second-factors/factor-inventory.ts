import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { AccountAct } from './account-acts.js';
import { EarnedProofs } from './earned-proofs.js';

/** What an account has to answer a challenge with. */
export interface Factors {
  readonly totp: boolean;
  /** An authenticator app is set up but not confirmed. */
  readonly totpPending: boolean;
  readonly passkeys: number;
  /** Unused ones; no second factor by themselves. */
  readonly recoveryCodes: number;
}

export const FACTOR_METHODS = ['totp', 'passkey', 'recovery_code'] as const;
export type FactorMethod = (typeof FACTOR_METHODS)[number];

/** Does anything but the password guard the account? */
export function hasSecondFactor({ totp, passkeys }: Factors): boolean {
  return totp || passkeys > 0;
}

export function methodsOf({ totp, passkeys, recoveryCodes }: Factors): FactorMethod[] {
  const standing = { totp, passkey: passkeys > 0, recovery_code: recoveryCodes > 0 };
  return FACTOR_METHODS.filter((method) => standing[method]);
}

/** Which second factors an account has, and what goes when the last one is removed. */
@Injectable()
export class FactorInventory {
  constructor(
    private readonly database: Database,
    private readonly earned: EarnedProofs,
  ) {}

  async of(userId: UserId, db?: Db): Promise<Factors> {
    const [row] = await this.database.rows<Factors>(
      `SELECT EXISTS (SELECT FROM totp_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL) AS totp,
              EXISTS (SELECT FROM totp_factors WHERE user_id = $1 AND confirmed_at IS NULL) AS "totpPending",
              (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
              (SELECT count(*)::int FROM recovery_codes
               WHERE user_id = $1 AND is_active AND used_at IS NULL) AS "recoveryCodes"`,
      [userId],
      db,
    );
    if (row === undefined) throw new Error('an aggregate came back without a row');
    return row;
  }

  /** After a removal: without any factor left, nothing remains that stood beside or in place of one. */
  async tidy({ tx, user, note }: AccountAct): Promise<Factors> {
    const left = await this.of(user.id, tx);
    if (hasSecondFactor(left)) return left;
    const revoked = await this.database.execute('DELETE FROM trusted_devices WHERE user_id = $1', [user.id], tx);
    if (revoked > 0) await note('trusted_device_revoked', { devices: revoked, reason: 'last factor removed' });
    await this.forgetCompanions(user.id, tx);
    return { ...left, recoveryCodes: 0 };
  }

  /** As {@link tidy}, where trusted devices are gone already. */
  async tidyWithoutDevices(userId: UserId, tx: Db): Promise<void> {
    if (!hasSecondFactor(await this.of(userId, tx))) await this.forgetCompanions(userId, tx);
  }

  private async forgetCompanions(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM recovery_codes WHERE user_id = $1 AND is_active', [userId], tx);
    await this.earned.endOf(userId, 'recovery_code', tx);
    await this.database.execute('DELETE FROM sign_in_challenges WHERE user_id = $1', [userId], tx);
    await this.database.execute('DELETE FROM second_factor_failures WHERE user_id = $1', [userId], tx);
  }
}
