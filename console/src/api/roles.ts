import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { ownMembership } from './queries.js';

type Role = Schemas['ProjectMemberResponse']['role'];

/** Roles that may change what a project consists of. */
export const MANAGERS = ['owner', 'admin'] as const satisfies readonly Role[];
/** Roles that may change rules, silences and destinations, and upload files. */
export const OPERATORS = [...MANAGERS, 'operator'] as const;
/** Roles that may act on alerts and findings, and save views. The service ranks members below operators. */
export const MEMBERS = [...OPERATORS, 'member'] as const;

/**
 * Returns why the caller may not do what these roles may. Undefined when they may, and until that is known. The service
 * decides; this only spares people a refusal.
 */
export function useRefusal(projectId: string, allowed: readonly Role[]): string | undefined {
  const { data } = useQuery(ownMembership(projectId));
  if (data === undefined || allowed.includes(data.role)) return undefined;
  return `Your role here is ${data.role}; it takes ${new Intl.ListFormat('en', { type: 'disjunction' }).format(allowed)}`;
}
