import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

/** The factors that an account has in addition to the password. */
export interface Factors {
  readonly totp: boolean;
  /** Whether an authenticator app is set up but not confirmed. */
  readonly totpPending: boolean;
  readonly passkeys: number;
  /** The number of unused recovery codes. Recovery codes alone are no second factor. */
  readonly recoveryCodes: number;
}

/** Reads which factors of every kind an account has. */
@Injectable()
export class FactorsReader {
  constructor(private readonly database: Database) {}

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
}
