import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import type { CeremonyPurpose } from './webauthn-challenge.entity.js';

const LIFE_SECONDS = 300;

/** What a challenge was given for; it is good for nothing else. */
export interface Ceremony {
  readonly purpose: CeremonyPurpose;
  /** Null: passwordless. */
  readonly userId: UserId | null;
  /** Of whoever is signed in, for registrations and step-ups. Null: nobody is yet. */
  readonly sessionId: string | null;
  /** The challenge token it goes with; undefined on use: whichever. */
  readonly token: string | undefined;
}

/** Challenges of WebAuthn ceremonies: kept as hashes for five minutes, good once on whichever instance. */
@Injectable()
export class WebAuthnChallengesRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  /** @returns 32 random bytes in base64url */
  async issue({ purpose, userId, sessionId, token }: Ceremony & { token: string }): Promise<string> {
    const challenge = randomToken();
    await this.database.execute(
      `INSERT INTO webauthn_challenges (challenge_hash, purpose, user_id, session_id, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [sha256(challenge), purpose, userId, sessionId, sha256(token), LIFE_SECONDS],
    );
    return challenge;
  }

  /** False for a challenge that is unknown, used, expired or of another ceremony; else it is used up by this. */
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

  /** Takes back the leave to add passkeys, which options give for a proof. */
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
