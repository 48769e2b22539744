import { isRefusal, type Schemas } from '@operational-events/client';
import { type Query, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './client.js';
import { me } from './queries.js';

/** What others do shows within this. */
const OTHERS_MS = 30_000;

/** Whoever was refused is not asked for again and again, but when they come back to the page. */
function unlessRefused({ state: { error } }: Pick<Query, 'state'>): number | false {
  return isForbidden(error) ? false : OTHERS_MS;
}

function isForbidden(error: unknown): boolean {
  return isRefusal(error) && error.status === 403;
}

/** Refused to whoever is no admin. */
export const organizationMembers = (organization_id: string) =>
  queryOptions({
    queryKey: ['organization', organization_id, 'members'],
    queryFn: ({ signal }) => api.listOrganizationMembers({ path: { organization_id } }, { signal }),
    staleTime: OTHERS_MS,
    refetchInterval: unlessRefused,
  });

export const invitations = (organization_id: string) =>
  queryOptions({
    queryKey: ['organization', organization_id, 'invitations'],
    queryFn: ({ signal }) => api.listInvites({ path: { organization_id } }, { signal }),
    refetchInterval: unlessRefused,
  });

export const invitationAudits = (organization_id: string) =>
  queryOptions({
    queryKey: ['organization', organization_id, 'invitations', 'audits'],
    queryFn: ({ signal }) => api.listInvitationAudits({ path: { organization_id } }, { signal }),
  });

export const billingStatus = (organization_id: string) =>
  queryOptions({
    queryKey: ['organization', organization_id, 'billing'],
    queryFn: ({ signal }) => api.getBillingStatus({ query: { organization_id } }, { signal }),
    refetchInterval: unlessRefused,
  });

/** Why whoever looks may not manage the organization; undefined when they may, and while it is not known. */
export function useOrganizationRefusal(organizationId: string): string | undefined {
  const { error } = useQuery(organizationMembers(organizationId));
  return isForbidden(error) ? 'It takes an admin or the owner of the organization' : undefined;
}

type NameOf = (userId: string | null) => string;

/** Names of people by their id, as far as whoever looks may know them. */
export function useNames(organizationId: string): NameOf {
  const { data: person } = useQuery(me);
  const { data: members } = useQuery(organizationMembers(organizationId));
  return (userId) => {
    if (userId === null) return 'The service';
    if (userId === person?.id) return 'You';
    return members?.find(({ user_id }) => user_id === userId)?.display_name ?? `Somebody (${userId.slice(0, 8)})`;
  };
}

export type AssignableRole = Schemas['AssignableProjectRole'];

/** What the roles may, least first. */
export const ASSIGNABLE: readonly { readonly value: AssignableRole; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'member', label: 'Member' },
  { value: 'operator', label: 'Operator' },
  { value: 'admin', label: 'Admin' },
];
