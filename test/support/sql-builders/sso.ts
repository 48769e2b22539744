import { v7 as newId } from 'uuid';
import { asText, sql } from './sql.js';

export interface ConnectionOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly trustsEmail?: boolean;
  readonly groupsClaim?: string;
}

/**
 * Adds an OpenID Connect provider without a client secret to an organization. Over HTTP the domain is verified by a DNS
 * record.
 */
export async function addConnection(organizationId: string, options: ConnectionOptions): Promise<string> {
  const id = newId();
  await sql(
    `INSERT INTO sso_connections (id, organization_id, protocol, label, issuer, client_id, groups_claim, trusts_email)
     VALUES ($1, $2, 'oidc', 'Company', $3, $4, $5, $6)`,
    [id, organizationId, options.issuer, options.clientId, options.groupsClaim ?? null, options.trustsEmail ?? false],
  );
  return id;
}

/** Points a connection to another issuer, or switches it off. */
export async function changeConnection(
  id: string,
  { issuer, isEnabled }: { readonly issuer?: string; readonly isEnabled?: boolean },
): Promise<void> {
  await sql(
    `UPDATE sso_connections SET issuer = coalesce($2, issuer), is_enabled = coalesce($3, is_enabled),
       updated_at = clock_timestamp() WHERE id = $1`,
    [id, issuer ?? null, isEnabled ?? null],
  );
}

/** Adds a domain to an organization. Over HTTP a DNS record or the platform's administration verifies it. */
export async function addDomain(organizationId: string, domain: string, isVerified = true): Promise<void> {
  await sql(
    `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
     VALUES ($1, $2, $3, 'challenge', CASE WHEN $4 THEN now() END, CASE WHEN $4 THEN 'dns' END)`,
    [newId(), organizationId, domain, isVerified],
  );
}

/** Removes a domain, as its owner does over HTTP. */
export async function removeDomain(domain: string): Promise<void> {
  await sql('DELETE FROM sso_domains WHERE domain = $1', [domain]);
}

/** Sets the roles that an organization gives to people of its provider. */
export async function setGroupRoles(
  organizationId: string,
  roles: { readonly defaultRole: string; readonly groups: readonly { group: string; role: string }[] },
): Promise<void> {
  await sql('INSERT INTO sso_roles (organization_id, default_role, group_roles) VALUES ($1, $2, $3)', [
    organizationId,
    roles.defaultRole,
    JSON.stringify(roles.groups),
  ]);
}

/** Reads why sign-ins by a provider were refused, the newest first. Only operators see those of the configuration. */
export async function refusalsOf(provider: string): Promise<string[]> {
  const rows = await sql<{ reason: string }>(
    `SELECT detail->>'reason' AS reason FROM security_events
     WHERE type = 'sso_refused' AND detail->>'provider' = $1 ORDER BY created_at DESC, id DESC`,
    [provider],
  );
  return rows.map(({ reason }) => reason);
}

/** Reads the ID tokens, as they are stored, of the sessions that a provider opened. No route shows them. */
export async function storedIdTokens(provider: string): Promise<(string | null)[]> {
  const rows = await sql<{ id_token: string | null }>('SELECT id_token FROM sso_sessions WHERE provider = $1', [
    provider,
  ]);
  return rows.map(({ id_token: idToken }) => idToken);
}

/** Makes the starts of sign-ins by a provider expire. No route moves the clock. */
export async function expireSsoStarts(provider: string): Promise<void> {
  await sql('UPDATE sso_starts SET expires_at = now() WHERE provider = $1', [provider]);
}

/** Reads the role of the account with an address in an organization, or null without a membership. */
export async function roleIn(organizationId: string, email: string): Promise<string | null> {
  const [row] = await sql<{ role: string }>(
    `SELECT m.role FROM organization_members m JOIN users u ON u.id = m.user_id
     WHERE m.organization_id = $1 AND u.email_key = lower($2)`,
    [organizationId, email],
  );
  return row?.role ?? null;
}

/** Returns the stored rows of an organization's sign-in settings as one text. No route shows how they are stored. */
export async function storedSsoSettings(organizationId: string): Promise<string> {
  return asText([
    ...(await sql<object>('SELECT * FROM sso_connections WHERE organization_id = $1', [organizationId])),
    ...(await sql<object>('SELECT * FROM sso_domains WHERE organization_id = $1', [organizationId])),
    ...(await sql<object>('SELECT * FROM sso_roles WHERE organization_id = $1', [organizationId])),
  ]);
}

/** Links an account with a person of a connection. Over HTTP that takes a sign-in at an identity provider. */
export async function linkedByConnection(connectionId: string, userId: string): Promise<void> {
  await sql(
    `INSERT INTO oauth_identities (user_id, issuer, subject)
     SELECT $2::uuid, 'connection:' || id || ':' || encode(sha256(coalesce(issuer, entity_id)::bytea), 'hex'), 'person of ' || $2::text
     FROM sso_connections WHERE id = $1`,
    [connectionId, userId],
  );
}

/** Returns how many accounts are linked with people of a connection. No route lists them for others. */
export async function linksOfConnection(connectionId: string): Promise<number> {
  const rows = await sql<object>(`SELECT 1 FROM oauth_identities WHERE issuer LIKE 'connection:' || $1::text || ':%'`, [
    connectionId,
  ]);
  return rows.length;
}
