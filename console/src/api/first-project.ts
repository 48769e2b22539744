import type { QueryClient } from '@tanstack/react-query';
import { organizations, projects } from './queries.js';

/** Returns the slugs of the first project in which the caller has a role, for its address. */
export async function firstProject(
  queries: QueryClient,
): Promise<{ organization: string; project: string } | undefined> {
  const [known, all] = await Promise.all([
    queries.query({ ...organizations, staleTime: 'static' }),
    queries.query({ ...projects, staleTime: 'static' }),
  ]);
  const [first] = all;
  const organization = known.find(({ id }) => id === first?.organization_id);
  if (first === undefined || organization === undefined) return undefined;
  return { organization: organization.slug, project: first.slug };
}
