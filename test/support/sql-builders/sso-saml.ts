import { randomUUID } from 'node:crypto';
import { sql } from './sql.js';

export interface SamlConnectionWish {
  readonly organizationId: string;
  readonly entityId: string;
  readonly signInUrl: string;
  readonly certificates: readonly string[];
  readonly label?: string;
  readonly emailAttribute?: string | null;
  readonly groupsAttribute?: string | null;
  readonly allowsIdpInitiated?: boolean;
  readonly isEnabled?: boolean;
}

/**
 * Adds a SAML connection to an organization. @returns its id. The routes of connections take addresses of providers that
 * are public, and providers of tests are on loopback.
 */
export async function addSamlConnection(wish: SamlConnectionWish): Promise<string> {
  const id = randomUUID();
  await sql(
    `INSERT INTO sso_connections (id, organization_id, protocol, label, is_enabled, entity_id, sign_in_url, certificates,
       email_attribute, groups_attribute, allows_idp_initiated)
     VALUES ($1, $2, 'saml', $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      wish.organizationId,
      wish.label ?? 'Acme provider',
      wish.isEnabled ?? true,
      wish.entityId,
      wish.signInUrl,
      wish.certificates,
      wish.emailAttribute ?? null,
      wish.groupsAttribute ?? null,
      wish.allowsIdpInitiated ?? false,
    ],
  );
  return id;
}

/** Turns a connection on or off. */
export async function setConnectionEnabled(id: string, isEnabled: boolean): Promise<void> {
  await sql('UPDATE sso_connections SET is_enabled = $2 WHERE id = $1', [id, isEnabled]);
}

/** Verifies a domain of an organization. Over HTTP that takes a record of the DNS. */
export async function verifySsoDomain(organizationId: string, domain: string): Promise<void> {
  await sql(
    `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
     VALUES ($1, $2, $3, 'none', now(), 'platform')`,
    [randomUUID(), organizationId, domain],
  );
}

/** Sets the roles that the provider of an organization gives. */
export async function setProvidedRoles(
  organizationId: string,
  defaultRole: string,
  groupRoles: readonly { group: string; role: string }[],
): Promise<void> {
  await sql('INSERT INTO sso_roles (organization_id, default_role, group_roles) VALUES ($1, $2, $3)', [
    organizationId,
    defaultRole,
    JSON.stringify(groupRoles),
  ]);
}

/** Returns the reasons of the refused sign-ins of a connection, the oldest first. No route shows events without an account. */
export async function refusalsOf(connectionId: string): Promise<string[]> {
  const rows = await sql<{ reason: string }>(
    `SELECT detail->>'reason' AS reason FROM security_events
     WHERE type = 'sso_refused' AND detail->>'provider' = $1 ORDER BY created_at, id`,
    [connectionId],
  );
  return rows.map(({ reason }) => reason);
}

/** Returns when the used assertions of a connection may be forgotten, in seconds from now. No route shows them. */
export async function usedAssertionSeconds(connectionId: string): Promise<number[]> {
  const rows = await sql<{ seconds: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float AS seconds FROM sso_used_assertions WHERE provider = $1`,
    [connectionId],
  );
  return rows.map(({ seconds }) => seconds);
}
