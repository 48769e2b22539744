import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AssignableRole } from './organization.js';
import { requestOutside } from './outside.js';
import { me } from './queries.js';

/** A domain of an organization, as the answers of `/sso/organizations/{organization_id}/domains` describe it. */
export interface SsoDomain {
  readonly id: string;
  readonly domain: string;
  readonly record_name: string;
  readonly record_value: string;
  readonly verified_at: string | null;
  readonly verified_by: 'dns' | 'platform' | null;
}

export type SsoProtocol = 'oidc' | 'saml';

/** An identity provider of an organization. */
export interface SsoConnection {
  readonly id: string;
  readonly protocol: SsoProtocol;
  readonly label: string;
  readonly is_enabled: boolean;
  readonly start_url: string;
  /** The values that are entered at the provider. */
  readonly service: {
    readonly redirect_uri: string | null;
    readonly backchannel_logout_uri: string | null;
    readonly acs_url: string | null;
    readonly entity_id: string | null;
    readonly metadata_url: string | null;
  };
  readonly issuer: string | null;
  readonly client_id: string | null;
  readonly has_client_secret: boolean;
  readonly scopes: string | null;
  readonly groups_claim: string | null;
  readonly trusts_email: boolean;
  readonly entity_id: string | null;
  readonly sign_in_url: string | null;
  readonly certificates: readonly {
    readonly pem: string;
    readonly fingerprint: string;
    readonly valid_until: string;
  }[];
  readonly email_attribute: string | null;
  readonly groups_attribute: string | null;
  readonly allows_idp_initiated: boolean;
}

export interface SsoRefusal {
  readonly at: string;
  readonly reason: string;
  readonly ip: string | null;
}

export interface SsoRoles {
  readonly default_role: AssignableRole;
  readonly group_roles: readonly { readonly group: string; readonly role: AssignableRole }[];
}

export interface ScimToken {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
}

/** The refusals of all these paths have the form of those of an organization. */
const LIKE = 'getOrganization';

const base = (organizationId: string) => `/sso/organizations/${encodeURIComponent(organizationId)}`;

/** Reads and writes the settings of one organization for the sign-in of its company. */
export function companySignIn(organizationId: string) {
  const key = ['organization', organizationId, 'sso'] as const;
  const read = <Answer>(name: string, path = name) =>
    queryOptions({
      queryKey: [...key, name],
      queryFn: ({ signal }) => requestOutside<Answer>(`${base(organizationId)}/${path}`, LIKE, { signal }),
    });
  const send = <Answer>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer> =>
    requestOutside(`${base(organizationId)}/${path}`, LIKE, { method, ...(body !== undefined && { body }) });
  return {
    key,
    domains: read<SsoDomain[]>('domains'),
    connections: read<SsoConnection[]>('connections'),
    roles: read<SsoRoles>('roles'),
    scimTokens: read<ScimToken[]>('scim-tokens'),
    refusals: (id: string) => read<SsoRefusal[]>(`refusals of ${id}`, `connections/${id}/refusals`),
    addDomain: (domain: string) => send<SsoDomain>('POST', 'domains', { domain }),
    verifyDomain: (id: string) => send<SsoDomain>('POST', `domains/${id}/verify`),
    removeDomain: (id: string) => send<undefined>('DELETE', `domains/${id}`),
    createConnection: (body: object) => send<SsoConnection>('POST', 'connections', body),
    changeConnection: (id: string, body: object) => send<SsoConnection>('PATCH', `connections/${id}`, body),
    deleteConnection: (id: string) => send<undefined>('DELETE', `connections/${id}`),
    setRoles: (roles: SsoRoles) => send<SsoRoles>('PUT', 'roles', roles),
    createScimToken: (name: string) => send<ScimToken & { readonly token: string }>('POST', 'scim-tokens', { name }),
    revokeScimToken: (id: string) => send<undefined>('DELETE', `scim-tokens/${id}`),
  };
}

/** Returns why the caller may not change how people sign in. Undefined when they may, and until that is known. */
export function useOwnerRefusal(ownerId: string): string | undefined {
  const { data: person } = useQuery(me);
  return person === undefined || person.id === ownerId ? undefined : 'It takes the owner of the organization';
}
