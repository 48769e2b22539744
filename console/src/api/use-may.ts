import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { ownMembership } from './queries.js';

/**
 * Returns whether the caller may do what these roles may. False until that is known, so that nothing is requested in
 * vain.
 */
export function useMay(projectId: string, allowed: readonly Schemas['ProjectMemberResponse']['role'][]): boolean {
  const { data } = useQuery(ownMembership(projectId));
  return data !== undefined && allowed.includes(data.role);
}
