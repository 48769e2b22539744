import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import type { CeremonyPurpose } from './webauthn-challenge.entity.js';

const LIFE_SECONDS = 300;

/**
 * The purpose, user, session and challenge token that a challenge is bound to. The challenge is valid for nothing else.
 */
export interface Ceremony {
  readonly purpose: CeremonyPurpose;
  /** Null for passwordless sign-ins. */
  readonly userId: UserId | null;
  /** The session of the signed-in user, for registrations and step-ups. Null when nobody is signed in yet. */
  readonly sessionId: string | null;
  /**
   * The challenge token that was issued with the challenge. When the token is undefined, `consume` accepts every token.
   */
  readonly token: string | undefined;
}

/**
 * Stores challenges of WebAuthn ceremonies as hashes. A challenge is valid for five minutes and can be used once, on
 * any instance.
 */
@Injectable()
export class WebAuthnChallengesRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  /** Stores a new challenge. @returns 32 random bytes in base64url */
  async issue({ purpose, userId, sessionId, token }: Ceremony & { token: string }): Promise<string> {
    const challenge = randomToken();
    await this.database.execute(
      `INSERT INTO webauthn_challenges (challenge_hash, purpose, user_id, session_id, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [sha256(challenge), purpose, userId, sessionId, sha256(token), LIFE_SECONDS],
    );
    return challenge;
  }

  /** Uses up a challenge. @returns false when the challenge is unknown, used, expired or bound to another ceremony */
  async consume(challenge: string, { purpose, userId, sessionId, token }: Ceremony, db?: Db): Promise<boolean> {
    const affected = await this.database.execute(
      `DELETE FROM webauthn_challenges
       WHERE challenge_hash = $1 AND purpose = $2 AND user_id IS NOT DISTINCT FROM $3 /* tenant: or nobody yet */
         AND session_id IS NOT DISTINCT FROM $4 AND token_hash = coalesce($5, token_hash) AND expires_at > now()`,
      [sha256(challenge), purpose, userId, sessionId, token === undefined ? null : sha256(token)],
      db,
    );
    return affected === 1;
  }

  /** Deletes the registration challenges of an account. They permit adding a passkey without a further proof. */
  async forgetRegistrations(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE FROM webauthn_challenges WHERE user_id = $1 AND purpose = 'registration'`,
      [userId],
      tx,
    );
  }

  async maintain(): Promise<number> {
    return this.database.execute(
      'DELETE /* every tenant: what has expired */ FROM webauthn_challenges WHERE expires_at < now()',
    );
  }
}
