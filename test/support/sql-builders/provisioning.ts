import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from './sql.js';

/** Verifies a new domain for an organization. Over HTTP that takes a record in DNS. */
export async function verifiedDomain(
  organizationId: string,
  domain = `${randomBytes(6).toString('hex')}.example`,
): Promise<string> {
  await sql(
    `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
     VALUES ($1, $2, $3, 'test', now(), 'dns')`,
    [randomUUID(), organizationId, domain],
  );
  return domain;
}

/** Takes a domain away from an organization. */
export async function withoutDomain(organizationId: string, domain: string): Promise<void> {
  await sql('DELETE FROM sso_domains WHERE organization_id = $1 AND domain = $2', [organizationId, domain]);
}

/** Sets the roles that groups give. */
export async function providedRoles(
  organizationId: string,
  defaultRole: string,
  groupRoles: readonly { group: string; role: string }[],
): Promise<void> {
  await sql(
    `INSERT INTO sso_roles (organization_id, default_role, group_roles) VALUES ($1, $2, $3)
     ON CONFLICT (organization_id) DO UPDATE SET default_role = excluded.default_role, group_roles = excluded.group_roles`,
    [organizationId, defaultRole, JSON.stringify(groupRoles)],
  );
}

/** Makes many provisioned members at once, each with the role of viewer. Over HTTP each is a request. */
export async function provisionedMembers(organizationId: string, domain: string, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `WITH made AS (
       INSERT INTO users (id, email, email_key, email_verified_at)
       SELECT gen_random_uuid(), 'person' || n || '@' || $2, 'person' || n || '@' || $2, now()
       FROM generate_series(1, $3::int) n RETURNING id, email),
     members AS (
       INSERT INTO organization_members (organization_id, user_id, role) SELECT $1, id, 'viewer' FROM made),
     memberships AS (
       INSERT INTO sso_memberships (organization_id, user_id, role, made_by) SELECT $1, id, 'viewer', 'scim' FROM made),
     provisioned AS (
       INSERT INTO scim_users (organization_id, user_id, user_name, user_name_key, is_account_made, active)
       SELECT $1, id, email, email, TRUE, TRUE FROM made)
     SELECT id FROM made`,
    [organizationId, domain, count],
  );
  return rows.map(({ id }) => id);
}

/** Makes many groups at once, each with the same members. Over HTTP each is a request. */
export async function provisionedGroups(
  organizationId: string,
  count: number,
  memberIds: readonly string[],
): Promise<void> {
  await sql(
    `WITH made AS (
       INSERT INTO scim_groups (id, organization_id, display_name)
       SELECT gen_random_uuid(), $1, 'Group ' || n FROM generate_series(1, $2::int) n RETURNING id)
     INSERT INTO scim_group_members (group_id, user_id) SELECT made.id, u.id FROM made CROSS JOIN unnest($3::uuid[]) AS u(id)`,
    [organizationId, count, memberIds],
  );
}

/** Returns how many members of an organization have each role. Over HTTP the list of 10,000 has no pages. */
export async function rolesOfMembers(organizationId: string): Promise<Record<string, number>> {
  const rows = await sql<{ role: string; count: number }>(
    'SELECT role, count(*)::int AS count FROM organization_members WHERE organization_id = $1 GROUP BY role',
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ role, count }) => [role, count]));
}

/** Makes the last use of every token of an organization older than a minute. */
export async function ageTokenUses(organizationId: string): Promise<void> {
  await sql("UPDATE scim_tokens SET last_used_at = now() - interval '2 minutes' WHERE organization_id = $1", [
    organizationId,
  ]);
}

/** Lets every token of an organization expire. */
export async function expireTokens(organizationId: string): Promise<void> {
  await sql("UPDATE scim_tokens SET expires_at = now() - interval '1 second' WHERE organization_id = $1", [
    organizationId,
  ]);
}

/** Returns the stored tokens, as text in which a secret would be found. */
export async function storedTokens(organizationId: string): Promise<string> {
  const rows = await sql<{ token_hash: Buffer }>('SELECT * FROM scim_tokens WHERE organization_id = $1', [
    organizationId,
  ]);
  return rows.map((row) => Object.values(row).map(String).join(' ')).join('\n');
}
