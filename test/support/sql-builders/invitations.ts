import { asText, sql } from './sql.js';

/** Reads the invitations and the audit log of an organization as text. No route shows the hash of a token. */
export async function storedInvitationsAndAuditEntries(organizationId: string): Promise<string> {
  const invitations = await sql<object>('SELECT * FROM invitations WHERE organization_id = $1', [organizationId]);
  const auditEntries = await sql<object>('SELECT * FROM audit_events WHERE organization_id = $1', [organizationId]);
  return asText([...invitations, ...auditEntries]);
}

/**
 * Reads the entries of the audit log that an account caused, the oldest first. No route shows the entries of an
 * organization.
 */
export async function auditEntriesBy(userId: string): Promise<{ action: string; detail: object }[]> {
  return sql('SELECT action, detail FROM audit_events WHERE actor_user_id = $1 ORDER BY created_at, id', [userId]);
}

/** Makes an invitation expire. No route moves the clock. */
export async function expireInvitation(id: string): Promise<void> {
  await sql('UPDATE invitations SET expires_at = now() WHERE id = $1', [id]);
}

/** Makes the last mail of an invitation a minute older. No route moves the clock. */
export async function letAMinutePass(invitationId: string): Promise<void> {
  await sql(`UPDATE invitations SET last_sent_at = last_sent_at - interval '60 seconds' WHERE id = $1`, [invitationId]);
}

/**
 * Sets the age of the last mail of an invitation in seconds, and makes the invitation expire in an hour. No route moves
 * the clock.
 */
export async function setMailAge(invitationId: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE invitations SET last_sent_at = now() - make_interval(secs => $2), expires_at = now() + interval '1 hour'
     WHERE id = $1`,
    [invitationId, seconds],
  );
}

/** Creates revoked invitations that are this many hours old. No route moves the clock. */
export async function revokedInvitations(organizationId: string, count: number, hours: number): Promise<void> {
  await sql(
    `INSERT INTO invitations (id, organization_id, email, email_key, role, status, token_hash, expires_at, created_at)
     SELECT gen_random_uuid(), $1, n || '@example.com', n || '@example.com', 'viewer', 'revoked', '', now(),
            now() - make_interval(hours => $3::int)
     FROM generate_series(1, $2::int) n`,
    [organizationId, count, hours],
  );
}

/** Adds entries of yesterday about new invitations to the audit log. No route moves the clock. */
export async function invitationAuditsOfYesterday(organizationId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO audit_events (id, organization_id, action, target_type, detail, created_at)
     SELECT gen_random_uuid(), $1, 'invitation.created', 'invitation',
            '{"act": "create", "outcome": "success", "reason_code": null, "requested_role": "viewer"}', now() - interval '1 day'
     FROM generate_series(1, $2::int)`,
    [organizationId, count],
  );
}

/** Makes the address of an account unverified. Over HTTP nobody can sign in before the address is verified. */
export async function removeVerification(userId: string): Promise<void> {
  await sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [userId]);
}

/** Gives an account another verified address. Over HTTP that is two requests and a mail. */
export async function changeAddress(userId: string, email: string): Promise<void> {
  await sql('UPDATE users SET email = $2, email_key = $2 WHERE id = $1', [userId, email]);
}

/** Gives an organization any name. No route renames an organization. */
export async function renameOrganization(id: string, name: string): Promise<void> {
  await sql('UPDATE organizations SET name = $2 WHERE id = $1', [id, name]);
}

/** A person whose role in a project differs from the role in the organization. Null: the person is not a member. */
interface RoleDifference {
  project_id: string;
  user_id: string;
  organization_role: string | null;
  project_role: string | null;
}

/**
 * Compares the members of all projects of an organization with the members of the organization, and returns the differences.
 * Routes show the effective role, which hides a missing row.
 */
export async function roleDifferences(organizationId: string): Promise<RoleDifference[]> {
  return sql(
    `SELECT coalesce(expected.project_id, pm.project_id) AS project_id, coalesce(expected.user_id, pm.user_id) AS user_id,
            expected.role AS organization_role, pm.role AS project_role
     FROM (SELECT p.id AS project_id, m.user_id, m.role FROM projects p
           JOIN organization_members m ON m.organization_id = p.organization_id WHERE p.organization_id = $1) expected
     FULL JOIN (SELECT pm.* FROM project_members pm JOIN projects p ON p.id = pm.project_id
                WHERE p.organization_id = $1) pm
       ON pm.project_id = expected.project_id AND pm.user_id = expected.user_id
     WHERE expected.role IS DISTINCT FROM pm.role`,
    [organizationId],
  );
}
