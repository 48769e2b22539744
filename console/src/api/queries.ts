import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

export const me = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.getCurrentUser({}, { signal }),
  staleTime: 60_000,
});

export const organizations = queryOptions({
  queryKey: ['organizations'],
  queryFn: ({ signal }) => api.listOrganizations({}, { signal }),
  staleTime: 60_000,
});

export const projects = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => api.listProjects({}, { signal }),
  staleTime: 60_000,
});

export const ownMembership = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'membership'],
    queryFn: ({ signal }) => api.getCurrentProjectMember({ path: { project_id } }, { signal }),
    staleTime: 60_000,
  });

export const dashboard = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'dashboard'],
    queryFn: ({ signal }) => api.getProjectDashboard({ path: { project_id } }, { signal }),
    refetchInterval: 30_000,
  });

export const apiKeys = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'keys'],
    queryFn: ({ signal }) => api.listApiKeys({ query: { project_id } }, { signal }),
  });
