import { createHash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { sql } from './sql.js';

/** The password of every account that {@link signedInUser} creates. */
export const PASSWORD = 'correct-horse-battery';
/** The argon2id hash of {@link PASSWORD} with the parameters of the service. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$cLnRmim/7IqYIDBHUz6Y6w$JTN3/LB0znzcMl8T61P/nBm7g141lDJzHiEf/qZJ3LU';

export type Role = 'viewer' | 'member' | 'operator' | 'admin';

/**
 * Creates an account in the state that registration, confirmation and a sign-in leave. Over HTTP these are two password
 * hashes, a mail and four requests, which is most of the time of a short test. Suites about signing in send these
 * requests.
 */
export async function signedInUser(email: string): Promise<{ id: string; refreshToken: string }> {
  const [id, sessionId, refreshToken] = [newId(), newId(), randomBytes(32).toString('base64url')];
  await sql(
    `WITH account AS (
       INSERT INTO users (id, email, email_key, password_hash, email_verified_at) VALUES ($1, $2, $2, $3, now())),
     history AS (
       INSERT INTO security_events (id, user_id, type, ip, detail, created_at)
       VALUES ($4, $1, 'account_registered', '127.0.0.1', '{}', now() - interval '2 milliseconds'),
              ($5, $1, 'email_verified', '127.0.0.1', '{}', now() - interval '1 millisecond'),
              ($8, $1, 'signed_in_new_device', '127.0.0.1', jsonb_build_object('method', 'password', 'session_id', $6::text), now())),
     session AS (
       INSERT INTO sessions (id, user_id, method, ip, expires_at)
       VALUES ($6::uuid, $1, 'password', '127.0.0.1', now() + interval '30 days'))
     INSERT INTO refresh_tokens (token_hash, session_id, generation) VALUES ($7, $6::uuid, 0)`,
    [
      id,
      email,
      PASSWORD_HASH,
      newId(),
      newId(),
      sessionId,
      createHash('sha256').update(refreshToken).digest(),
      newId(),
    ],
  );
  return { id, refreshToken };
}

/** Adds a member as an accepted invitation does. Over HTTP that is a mail and three requests. */
export async function memberOf(
  of: { organizationId: string; projectId: string },
  userId: string,
  role: Role,
): Promise<void> {
  await sql(
    `WITH organization AS (INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $3, $4))
     INSERT INTO project_members (project_id, user_id, role) VALUES ($2, $3, $4)`,
    [of.organizationId, of.projectId, userId, role],
  );
}

/** Deletes the rows of an account at once. Over HTTP an account remains for the grace period of its deletion. */
export async function deleteUser(id: string): Promise<void> {
  await sql('DELETE FROM users WHERE id = $1', [id]);
}
