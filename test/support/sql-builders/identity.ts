import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { service } from '../running-service.js';
import { asText, sql } from './sql.js';

/** A proof that a person can show again in a session. */
type ProofMethod = 'password' | 'totp' | 'recovery_code' | 'passkey';

/**
 * Sets the hash of a password. Over HTTP the service computes the hash, and a password change ends sessions and other
 * dependent state.
 */
export async function setPasswordHash(userId: string, hash: string): Promise<void> {
  await sql('UPDATE users SET password_hash = $2 WHERE id = $1', [userId, hash]);
}

/** Disables an account and leaves its sessions. No route disables an account, and the command also ends its sessions. */
export async function disableAccount(userId: string): Promise<void> {
  await sql('UPDATE users SET disabled_at = now() WHERE id = $1', [userId]);
}

/** Removes the password. Over HTTP only accounts that signed up through a provider have none. */
export async function removePassword(userId: string): Promise<void> {
  await sql('UPDATE users SET password_hash = NULL WHERE id = $1', [userId]);
}

/** Reads the hash of a password. No route shows it. */
export async function passwordHash(userId: string): Promise<string> {
  const [row] = await sql<{ password_hash: string | null }>('SELECT password_hash FROM users WHERE id = $1', [userId]);
  return row?.password_hash ?? '';
}

/**
 * Sets the hash of a password while a request waits for the row of the account. Resolves with the answer of the
 * request. Over HTTP the order of two requests is not known.
 */
export async function setPasswordHashDuring<T>(userId: string, hash: string, send: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pg_backend_pid() AS pid FROM users WHERE id = $1 FOR UPDATE',
      [userId],
    );
    const answer = send();
    await eventually(
      () => sql('SELECT 1 FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))', [rows[0]?.pid]),
      ({ length }) => length > 0,
      () => 'no request waits for the row of the account',
    );
    await client.query('UPDATE users SET password_hash = $2 WHERE id = $1', [userId, hash]);
    await client.query('COMMIT');
    return await answer;
  } finally {
    await client.end();
  }
}

/** Ends the sessions of an account without a notification to the service, which still caches them for some seconds. */
export async function revokeSessionsSilently(userId: string): Promise<void> {
  await sql('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [userId]);
}

/**
 * Makes the sessions of an account look like those of a sign-in with a provider. Over HTTP that is a sign-in at the
 * provider.
 */
export async function makeOAuthSessions(userId: string): Promise<void> {
  await sql(`UPDATE sessions SET method = 'oauth' WHERE user_id = $1`, [userId]);
}

/** Makes the sessions of an account begin some minutes ago. No route moves the clock. */
export async function ageSessions(userId: string, minutes: number): Promise<void> {
  await sql('UPDATE sessions SET created_at = now() - make_interval(mins => $2::int) WHERE user_id = $1', [
    userId,
    minutes,
  ]);
}

/** Adds a token as POST /v1/auth/step-up issues it. Over HTTP each proof is a hash, a code or a ceremony. */
export async function stepUpToken(
  of: { userId: string; sessionId: string },
  methods: readonly ProofMethod[],
): Promise<string> {
  const token = randomUUID();
  await sql(
    `INSERT INTO step_up_tokens (token_hash, user_id, session_id, methods, expires_at)
     VALUES (sha256(convert_to($1, 'UTF8')), $2, $3, $4, now() + interval '5 minutes')`,
    [token, of.userId, of.sessionId, methods],
  );
  return token;
}

/** Reads the stored step-up tokens of an account, as text. No route shows them. */
export async function storedStepUpTokens(userId: string): Promise<string> {
  return asText(await sql<object>('SELECT * FROM step_up_tokens WHERE user_id = $1', [userId]));
}

/** Makes the step-up tokens of an account expire. No route moves the clock. */
export async function expireStepUpTokens(userId: string): Promise<void> {
  await sql('UPDATE step_up_tokens SET expires_at = now() WHERE user_id = $1', [userId]);
}

/** Makes the unfinished sign-ins of an account expire. No route moves the clock. */
export async function expireSignInChallenges(userId: string): Promise<void> {
  await sql('UPDATE sign_in_challenges SET expires_at = now() WHERE user_id = $1', [userId]);
}

/** Makes the WebAuthn challenges of an account expire. No route moves the clock. */
export async function expirePasskeyChallenges(userId: string): Promise<void> {
  await sql('UPDATE webauthn_challenges SET expires_at = now() WHERE user_id = $1', [userId]);
}

/** Makes a WebAuthn challenge that belongs to no account yet expire. No route moves the clock. */
export async function expirePasswordlessChallenge(challengeToken: string): Promise<void> {
  await sql(`UPDATE webauthn_challenges SET expires_at = now() WHERE token_hash = sha256(convert_to($1, 'UTF8'))`, [
    challengeToken,
  ]);
}

/** Makes used codes of the authenticator app valid again. Over HTTP the next valid code comes after 30 seconds. */
export async function forgetUsedCodes(userId: string): Promise<void> {
  await sql('UPDATE totp_factors SET last_used_step = NULL WHERE user_id = $1', [userId]);
}

/** Counts the stored authenticator apps and recovery codes of an account, and reads them as text. No route shows them. */
export async function storedSecondFactors(
  userId: string,
): Promise<{ totpFactors: number; recoveryCodes: number; text: string }> {
  const totpFactors = await sql<object>('SELECT * FROM totp_factors WHERE user_id = $1', [userId]);
  const recoveryCodes = await sql<object>('SELECT * FROM recovery_codes WHERE user_id = $1', [userId]);
  return {
    totpFactors: totpFactors.length,
    recoveryCodes: recoveryCodes.length,
    text: asText([...totpFactors, ...recoveryCodes]),
  };
}

/** Copies the encrypted secret of one account to another, as an attacker who can write to the database could. */
export async function copyTotpSecret(fromUserId: string, toUserId: string): Promise<void> {
  await sql(
    'UPDATE totp_factors SET secret = (SELECT secret FROM totp_factors WHERE user_id = $1) WHERE user_id = $2',
    [fromUserId, toUserId],
  );
}

/** Uses up all recovery codes of an account. Over HTTP each is a sign-in. */
export async function useUpRecoveryCodes(userId: string): Promise<void> {
  await sql('UPDATE recovery_codes SET used_at = now() WHERE user_id = $1', [userId]);
}

/** Ends the lockout of a second factor. No route moves the clock. */
export async function endSecondFactorLockout(userId: string): Promise<void> {
  await sql('UPDATE second_factor_failures SET locked_until = now() WHERE user_id = $1', [userId]);
}

/** Makes the failures at a second factor this many minutes older. No route moves the clock. */
export async function ageSecondFactorFailures(userId: string, minutes: number): Promise<void> {
  await sql(
    `UPDATE second_factor_failures SET failed_at =
       ARRAY(SELECT t - make_interval(mins => $2::int) FROM unnest(failed_at) t) WHERE user_id = $1`,
    [userId, minutes],
  );
}

/** Adds many passkeys that no authenticator has. Over HTTP each is a ceremony. */
export async function oldPasskeys(userId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, backup_eligible, backed_up, transports, proven)
     SELECT gen_random_uuid(), $1, 'Old', uuid_send(gen_random_uuid()), '', 0, false, false, '{}', true
     FROM generate_series(1, $2::int)`,
    [userId, count],
  );
}

/** Clears the record that the passkeys of an account have verified their user. No route clears it. */
export async function forgetUserVerification(userId: string): Promise<void> {
  await sql('UPDATE passkeys SET uv_initialized = false WHERE user_id = $1', [userId]);
}

/** Reads the stored trusted devices of an account, as text. No route shows them. */
export async function storedTrustedDevices(userId: string): Promise<string> {
  return asText(await sql<object>('SELECT * FROM trusted_devices WHERE user_id = $1', [userId]));
}

/** Makes the trusted devices of an account expire. No route moves the clock. */
export async function expireTrustedDevices(userId: string): Promise<void> {
  await sql('UPDATE trusted_devices SET expires_at = now() WHERE user_id = $1', [userId]);
}
