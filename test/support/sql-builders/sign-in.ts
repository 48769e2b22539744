import { asText, sql } from './sql.js';

/** Counts this many wrong passwords for an address, all at the current time. Over HTTP each computes a hash. */
export async function failedSignIns(email: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO password_attempts AS a (subject_hash, attempted_at, expires_at)
     SELECT sha256(convert_to('sign-in:' || $1, 'UTF8')), array_agg(clock_timestamp()), now() + interval '15 minutes'
     FROM generate_series(1, $2::int)
     ON CONFLICT (subject_hash) DO UPDATE SET attempted_at = a.attempted_at || excluded.attempted_at`,
    [email, count],
  );
}

/** Makes the tokens that an address was mailed this many seconds older. No route moves the clock. */
export async function ageMailedTokens(email: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE user_tokens SET created_at = created_at - make_interval(secs => $2::int),
            expires_at = expires_at - make_interval(secs => $2::int)
     WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
    [email, seconds],
  );
}

/** Makes the tokens that an address was mailed expire in this many seconds. No route moves the clock. */
export async function expireMailedTokensIn(email: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE user_tokens SET expires_at = now() + make_interval(secs => $2::int)
     WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
    [email, seconds],
  );
}

/** Returns the lifetime in seconds of each password reset token of an address. No route shows it. */
export async function resetTokenLives(email: string): Promise<number[]> {
  const rows = await sql<{ seconds: number }>(
    `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM user_tokens
     WHERE purpose = 'reset_password' AND user_id = (SELECT id FROM users WHERE email_key = $1)`,
    [email],
  );
  return rows.map(({ seconds }) => seconds);
}

/** Reads the stored mailed tokens of an account, as text. No route shows them. */
export async function storedMailedTokens(userId: string): Promise<string> {
  return asText(await sql<object>('SELECT * FROM user_tokens WHERE user_id = $1', [userId]));
}

/**
 * Gives an account an address, and the form in which addresses are compared. Registration accepts only ASCII letters
 * before the @, but accounts of earlier versions may have other letters.
 */
export async function setAddress(userId: string, email: string, emailKey: string): Promise<void> {
  await sql('UPDATE users SET email = $2, email_key = $3 WHERE id = $1', [userId, email, emailKey]);
}

/**
 * Reads the accounts whose address has this part before the @, in any domain. No route finds accounts of other people.
 */
export async function accountsWithLocalPart(localPart: string): Promise<{ id: string; email: string }[]> {
  return sql(`SELECT id, email FROM users WHERE starts_with(email, $1::text || '@') ORDER BY id`, [localPart]);
}

/**
 * Reads the ids of the accounts with this address, in the form in which addresses are compared. No route finds accounts
 * of other people.
 */
export async function accountsWithAddress(emailKey: string): Promise<string[]> {
  const rows = await sql<{ id: string }>('SELECT id FROM users WHERE email_key = $1', [emailKey]);
  return rows.map(({ id }) => id);
}

/** Reads the ids of the accounts that have the address or the name. No route finds accounts of other people. */
export async function accountsWithAddressOrName(emailKey: string, name: string): Promise<string[]> {
  const rows = await sql<{ id: string }>('SELECT id FROM users WHERE email_key = $1 OR name = $2', [emailKey, name]);
  return rows.map(({ id }) => id);
}

/** Reads the stored rows of an account, its sessions and their refresh tokens, as text. No route shows them. */
export async function storedSignIns(userId: string): Promise<string> {
  const users = await sql<object>('SELECT * FROM users WHERE id = $1', [userId]);
  const sessions = await sql<object>('SELECT * FROM sessions WHERE user_id = $1', [userId]);
  const refreshTokens = await sql<object>(
    'SELECT r.* FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id WHERE s.user_id = $1',
    [userId],
  );
  return asText([...users, ...sessions, ...refreshTokens]);
}

/** Makes a session expire. No route moves the clock. */
export async function expireSession(sessionId: string): Promise<void> {
  await sql('UPDATE sessions SET expires_at = now() WHERE id = $1', [sessionId]);
}

/** Ends the time in which the used refresh tokens of an account can be used again. No route moves the clock. */
export async function endRefreshGrace(userId: string): Promise<void> {
  await sql(
    `UPDATE refresh_tokens SET used_at = used_at - interval '11 seconds'
     WHERE used_at IS NOT NULL AND session_id IN (SELECT id FROM sessions WHERE user_id = $1)`,
    [userId],
  );
}

/** Marks a refresh token as used from another address. All requests of a test come from one address. */
export async function setRefreshAddress(refreshToken: string, ip: string): Promise<void> {
  await sql(`UPDATE refresh_tokens SET used_ip = $2 WHERE token_hash = sha256(convert_to($1, 'UTF8'))`, [
    refreshToken,
    ip,
  ]);
}

/**
 * Replaces the unused refresh token of an account by one that was chosen at random. Only earlier versions chose it at
 * random.
 */
export async function drawRefreshToken(userId: string, refreshToken: string): Promise<void> {
  await sql(
    `UPDATE refresh_tokens r SET token_hash = sha256(convert_to($2, 'UTF8')) FROM sessions s
     WHERE s.id = r.session_id AND s.user_id = $1 AND r.used_at IS NULL`,
    [userId, refreshToken],
  );
}

/** Counts the refresh tokens of an account that can still be exchanged. No route shows the number. */
export async function livingRefreshTokens(userId: string): Promise<number> {
  const rows = await sql<object>(
    `SELECT 1 FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id
     WHERE s.user_id = $1 AND r.used_at IS NULL AND r.superseded_at IS NULL`,
    [userId],
  );
  return rows.length;
}

/** Makes a passkey this many days old. No route moves the clock. */
export async function agePasskey(passkeyId: string, days: number): Promise<void> {
  await sql('UPDATE passkeys SET created_at = now() - make_interval(days => $2::int) WHERE id = $1', [passkeyId, days]);
}

/** Marks a passkey as added without a proof. Only earlier versions added such passkeys. */
export async function makePasskeyUnproven(passkeyId: string): Promise<void> {
  await sql('UPDATE passkeys SET proven = false WHERE id = $1', [passkeyId]);
}

/** Counts the mails about the security of an account that are not sent yet. No route shows the number. */
export async function pendingNotices(userId: string): Promise<number> {
  const rows = await sql<object>('SELECT 1 FROM security_events WHERE user_id = $1 AND notice_to IS NOT NULL', [
    userId,
  ]);
  return rows.length;
}

/** Adds events whose mails are not sent yet, as a process leaves them when it dies before it sends the mails. */
export async function dueNotices(of: { id: string; email: string }, count: number): Promise<void> {
  await sql(
    `INSERT INTO security_events (id, user_id, type, ip, notice_to)
     SELECT gen_random_uuid(), $1, 'passkey_added', '192.0.2.7', $2 FROM generate_series(1, $3::int)`,
    [of.id, of.email, count],
  );
}

/** Makes the last mails about the security of an account this many seconds old. No route moves the clock. */
export async function setNoticeAge(userId: string, seconds: number): Promise<void> {
  await sql('UPDATE security_events SET notice_at = now() - make_interval(secs => $2::int) WHERE user_id = $1', [
    userId,
    seconds,
  ]);
}

/** Adds password changes to the security log of an account. Over HTTP each computes two hashes. */
export async function passwordChanges(userId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO security_events (id, user_id, type) SELECT gen_random_uuid(), $1, 'password_changed'
     FROM generate_series(1, $2::int)`,
    [userId, count],
  );
}

/** Makes an organization a customer of the payment provider. Over HTTP that takes a checkout. */
export async function setPaymentCustomer(organizationId: string, customerId: string): Promise<void> {
  await sql('UPDATE organizations SET payment_customer_id = $2 WHERE id = $1', [organizationId, customerId]);
}

/** Adds a subscription as the payment provider reports it, without a checkout and a signed event. */
export async function subscription(of: {
  id: string;
  organizationId: string;
  status: 'past_due' | 'incomplete' | 'canceled';
  wasPaid: boolean;
}): Promise<void> {
  await sql(
    `INSERT INTO payment_subscriptions (id, organization_id, status, was_paid, started_at, seen_at, seen_kind)
     VALUES ($1, $2, $3::text, $4, now(), now(), CASE WHEN $3::text = 'canceled' THEN 2 ELSE 1 END)`,
    [of.id, of.organizationId, of.status, of.wasPaid],
  );
}

/** Ends a subscription without a signed event of the payment provider. */
export async function cancelSubscription(id: string): Promise<void> {
  await sql(`UPDATE payment_subscriptions SET status = 'canceled' WHERE id = $1`, [id]);
}

/** Reads which of some organizations are not deleted. Routes show them to members only. */
export async function remainingOrganizations(ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    'SELECT id FROM organizations WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL ORDER BY id',
    [ids],
  );
  return rows.map(({ id }) => id);
}
