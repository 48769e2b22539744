import { createHash, randomBytes } from 'node:crypto';
import { asText, sql } from './sql.js';

/** Reads the stored start of a sign-in, as text; an empty list when there is none. No route shows it. */
export async function storedStart(nonce: string): Promise<string> {
  return asText(
    await sql<object>(`SELECT t::text FROM oauth_starts t WHERE nonce_hash = sha256(convert_to($1, 'UTF8'))`, [nonce]),
  );
}

/** Makes the start of a sign-in expire. No route moves the clock. */
export async function expireStart(nonce: string): Promise<void> {
  await sql(`UPDATE oauth_starts SET expires_at = now() WHERE nonce_hash = sha256(convert_to($1, 'UTF8'))`, [nonce]);
}

/** Adds a nonce that a client used a day ago. No route moves the clock. */
export async function expiredUsedNonce(): Promise<string> {
  const nonce = randomBytes(16).toString('hex');
  await sql('INSERT INTO oauth_used_nonces (nonce_hash, expires_at) VALUES ($1, now())', [
    createHash('sha256').update(nonce).digest(),
  ]);
  return nonce;
}

/**
 * Returns whether the service has stored that a nonce was used. Over HTTP every reuse is refused, and the reason is not
 * shown.
 */
export async function isUsedNonceKept(nonce: string): Promise<boolean> {
  const rows = await sql<object>(`SELECT 1 FROM oauth_used_nonces WHERE nonce_hash = sha256(convert_to($1, 'UTF8'))`, [
    nonce,
  ]);
  return rows.length > 0;
}

/** Reads the accounts that have verified this address. No route finds accounts of others, or shows a hash. */
export async function verifiedAccounts(
  email: string,
): Promise<{ password_hash: string | null; name: string | null }[]> {
  return sql('SELECT password_hash, name FROM users WHERE email_key = $1 AND email_verified_at IS NOT NULL', [
    email.toLowerCase(),
  ]);
}

/** Reads the method of each session of an account, including ended sessions. The route lists only active ones. */
export async function sessionMethods(email: string): Promise<string[]> {
  const rows = await sql<{ method: string }>(
    'SELECT s.method FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email_key = $1 ORDER BY s.created_at',
    [email.toLowerCase()],
  );
  return rows.map(({ method }) => method);
}

/**
 * Adds a session to an account, whether or not its address is verified. Over HTTP nobody can sign in with an unverified
 * address.
 */
export async function addPasswordSession(email: string): Promise<void> {
  await sql(
    `INSERT INTO sessions (id, user_id, method, expires_at)
     SELECT gen_random_uuid(), id, 'password', now() + interval '1 day' FROM users WHERE email_key = $1`,
    [email.toLowerCase()],
  );
}

/** Reads the subjects of providers that are linked to an account. No route shows them. */
export async function linkedSubjects(userId: string): Promise<string[]> {
  const rows = await sql<{ subject: string }>(
    'SELECT subject FROM oauth_identities WHERE user_id = $1 ORDER BY issuer, subject',
    [userId],
  );
  return rows.map(({ subject }) => subject);
}

/**
 * Returns whether a subject of a provider is linked to any account. Over HTTP only a sign-in shows that, and it creates
 * the link.
 */
export async function isSubjectLinked(issuer: string, subject: string): Promise<boolean> {
  const rows = await sql<object>('SELECT 1 FROM oauth_identities WHERE issuer = $1 AND subject = $2', [
    issuer,
    subject,
  ]);
  return rows.length > 0;
}

/** Links an account to a subject of a provider. Over HTTP the owner of the account has to pass the second factor. */
export async function linkSubject(of: { issuer: string; subject: string; userId: string }): Promise<void> {
  await sql('INSERT INTO oauth_identities (issuer, subject, user_id) VALUES ($1, $2, $3)', [
    of.issuer,
    of.subject,
    of.userId,
  ]);
}

/** Locks the second factor of an account for five minutes. Over HTTP that takes many wrong codes. */
export async function lockSecondFactor(userId: string): Promise<void> {
  await sql(`INSERT INTO second_factor_failures (user_id, locked_until) VALUES ($1, now() + interval '5 minutes')`, [
    userId,
  ]);
}
