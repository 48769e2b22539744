import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.js';
import { offsetAfter } from './pages.js';

export const twoFactor = queryOptions({
  queryKey: ['account', 'two-factor'],
  queryFn: ({ signal }) => api.getTwoFactor({}, { signal }),
});

export const passkeys = queryOptions({
  queryKey: ['account', 'passkeys'],
  queryFn: ({ signal }) => api.listPasskeys({}, { signal }),
});

export const sessions = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => api.listSessions({}, { signal }),
});

export const trustedDevices = queryOptions({
  queryKey: ['account', 'trusted-devices'],
  queryFn: ({ signal }) => api.listTrustedDevices({}, { signal }),
});

export const securityEvents = infiniteQueryOptions({
  queryKey: ['account', 'security-events'],
  queryFn: ({ pageParam, signal }) => api.listSecurityEvents({ query: { offset: pageParam } }, { signal }),
  initialPageParam: 0,
  getNextPageParam: offsetAfter,
});
