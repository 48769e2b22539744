import { isRefusal, type Schemas } from '@operational-events/client';
import { type Query, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './client.js';
import { me } from './queries.js';

/** Interval in which changes by other people become visible. */
const OTHERS_MS = 30_000;

/** Stops refetching for a person who was refused, until they come back to the page. */
function unlessRefused({ state: { error } }: Pick<Query, 'state'>): number | false {
  return isForbidden(error) ? false : OTHERS_MS;
}

function isForbidden(error: unknown): boolean {
  return isRefusal(error) && error.status === 403;
}

/** The service refuses this to anybody who is not an admin or the owner. */
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

/** Returns why the caller may not manage the organization. Undefined when they may, and until that is known. */
export function useOrganizationRefusal(organizationId: string): string | undefined {
  const { error } = useQuery(organizationMembers(organizationId));
  return isForbidden(error) ? 'It takes an admin or the owner of the organization' : undefined;
}

type NameOf = (userId: string | null) => string;

/** Returns a function that finds names of people by their ids, as far as the caller may see them. */
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

/** The roles that can be assigned, lowest first. */
export const ASSIGNABLE: readonly { readonly value: AssignableRole; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'member', label: 'Member' },
  { value: 'operator', label: 'Operator' },
  { value: 'admin', label: 'Admin' },
];
