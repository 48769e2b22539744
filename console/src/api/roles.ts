import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { ownMembership } from './queries.js';

type Role = Schemas['ProjectMemberResponse']['role'];

/** Those that may change what a project consists of. */
export const MANAGERS = ['owner', 'admin'] as const satisfies readonly Role[];
/** Those that may change rules, silences and destinations, and bring files in. */
export const OPERATORS = [...MANAGERS, 'operator'] as const;
/** Those that may act on alerts and findings, and save views: the service ranks members below operators. */
export const MEMBERS = [...OPERATORS, 'member'] as const;

/**
 * Why whoever looks may not do what these roles may; undefined when they may, and while it is not known.
 * The service decides; this only spares people a refusal.
 */
export function useRefusal(projectId: string, allowed: readonly Role[]): string | undefined {
  const { data } = useQuery(ownMembership(projectId));
  if (data === undefined || allowed.includes(data.role)) return undefined;
  return `Your role here is ${data.role}; it takes ${new Intl.ListFormat('en', { type: 'disjunction' }).format(allowed)}`;
}
