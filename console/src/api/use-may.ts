import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { ownMembership } from './queries.js';

/** Whether whoever looks may do what these roles may; false while it is not known, so that nothing is asked in vain. */
export function useMay(projectId: string, allowed: readonly Schemas['ProjectMemberResponse']['role'][]): boolean {
  const { data } = useQuery(ownMembership(projectId));
  return data !== undefined && allowed.includes(data.role);
}
