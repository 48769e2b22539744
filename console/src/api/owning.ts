import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.js';
import { offsetAfter } from './pages.js';

/** Interval in which changes by other people become visible. */
const OTHERS_MS = 30_000;

export const projectHealth = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'health'],
    queryFn: ({ signal }) => api.getProjectHealth({ path: { project_id } }, { signal }),
  });

export const projectSettings = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'settings'],
    queryFn: ({ signal }) => api.getProjectSettings({ path: { project_id } }, { signal }),
  });

export const projectMembers = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'members'],
    queryFn: ({ signal }) => api.listProjectMembers({ path: { project_id } }, { signal }),
    staleTime: OTHERS_MS,
    refetchInterval: OTHERS_MS,
  });

export const activity = (project_id: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project_id, 'activity'],
    queryFn: ({ pageParam, signal }) =>
      api.listProjectActivity({ path: { project_id }, query: { offset: pageParam } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: offsetAfter,
  });

export const sources = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'sources'],
    queryFn: ({ signal }) => api.listIngestSources({ query: { project_id } }, { signal }),
    refetchInterval: OTHERS_MS,
  });

export const sourceCatalog = queryOptions({
  queryKey: ['source-catalog'],
  queryFn: ({ signal }) => api.listIngestSourceCatalog({}, { signal }),
  staleTime: Infinity,
});

/** The prefix of all keys of one source. */
export const sourceKey = (source_id: string) => ['source', source_id] as const;

export const source = (source_id: string) =>
  queryOptions({
    queryKey: [...sourceKey(source_id), 'state'],
    queryFn: ({ signal }) => api.getIngestSource({ path: { source_id } }, { signal }),
  });

export const sourceHealth = (source_id: string) =>
  queryOptions({
    queryKey: [...sourceKey(source_id), 'health'],
    queryFn: ({ signal }) => api.getIngestSourceHealth({ path: { source_id } }, { signal }),
    refetchInterval: OTHERS_MS,
  });

export const sourceStats = (source_id: string) =>
  queryOptions({
    queryKey: [...sourceKey(source_id), 'stats'],
    queryFn: ({ signal }) => api.getIngestSourceStats({ path: { source_id }, query: { range: '24h' } }, { signal }),
    refetchInterval: OTHERS_MS,
  });

/** The newest events of a source, whichever way they came. */
export const sourceEvents = (source_id: string) =>
  queryOptions({
    queryKey: [...sourceKey(source_id), 'events'],
    queryFn: ({ signal }) => api.listIngestSourceEvents({ path: { source_id }, query: { limit: 10 } }, { signal }),
    refetchInterval: OTHERS_MS,
  });

export const sourceApiKeys = (source_id: string) =>
  queryOptions({
    queryKey: [...sourceKey(source_id), 'keys'],
    queryFn: ({ signal }) => api.listIngestSourceKeys({ path: { source_id } }, { signal }),
  });

export const sourceFailures = (source_id: string) =>
  infiniteQueryOptions({
    queryKey: [...sourceKey(source_id), 'failures'],
    queryFn: ({ pageParam, signal }) =>
      api.listIngestSourceFailures({ path: { source_id }, query: { offset: pageParam, limit: 20 } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: offsetAfter,
  });

export const secrets = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'secrets'],
    queryFn: ({ signal }) => api.listSecrets({ query: { project_id } }, { signal }),
  });

export const storageUsage = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'files', 'usage'],
    queryFn: ({ signal }) => api.getStorageUsage({ query: { project_id } }, { signal }),
  });

/** Lists one folder: names that continue after the next `/` are grouped as folders. */
export const files = (project_id: string, prefix: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project_id, 'files', 'below', prefix],
    queryFn: ({ pageParam, signal }) =>
      api.listObjects(
        {
          query: {
            project_id,
            delimiter: '/',
            limit: 100,
            ...(prefix !== '' && { prefix }),
            ...(pageParam !== '' && { after: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_after }) => next_after,
  });
