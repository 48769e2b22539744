import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AlertDeliverySearch, AttemptSearch, RetrySearch } from '../routes/delivery.js';
import { api } from './client.js';
import { offsetOf, PAGE_ROWS } from './pages.js';
import { MANAGERS } from './roles.js';

/** Roles with the capability to manage channels. Operators do not have it, and only managers drain dead letters. */
export const CHANNEL_MANAGERS = [...MANAGERS, 'member'] as const;

const POLL_MS = 30_000;

const deliveryOf = (project_id: string) => ['project', project_id, 'delivery'] as const;

export const destinations = (project_id: string) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'destinations'],
    queryFn: ({ signal }) => api.listAlertDestinations({ query: { project_id } }, { signal }),
  });

export const channels = (project_id: string) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'channels'],
    queryFn: ({ signal }) => api.listDeliveryChannels({ query: { project_id } }, { signal }),
  });

export const alertDeliveries = (project_id: string, { status, destination, alert, page }: AlertDeliverySearch) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'alert-deliveries', { status, destination, alert, page }],
    queryFn: ({ signal }) =>
      api.listAlertDeliveries(
        {
          query: {
            project_id,
            status,
            destination_id: destination,
            alert_event_id: alert,
            limit: PAGE_ROWS,
            offset: offsetOf(page),
          },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });

export const alertDeliveriesKey = (project_id: string) => [...deliveryOf(project_id), 'alert-deliveries'] as const;

export const alertDelivery = (project_id: string, delivery_id: string) =>
  queryOptions({
    queryKey: [...alertDeliveriesKey(project_id), 'one', delivery_id],
    queryFn: ({ signal }) => api.getAlertDelivery({ path: { delivery_id } }, { signal }),
  });

export const attempts = (project_id: string, { status, kind, retry, channel, page }: AttemptSearch, areDead: boolean) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'attempts', 'list', { status, kind, retry, channel, page, areDead }],
    queryFn: ({ signal }) =>
      api.listDeliveryAttempts(
        {
          query: {
            project_id,
            status,
            kind,
            retry_state: retry,
            channel_id: channel,
            dlq: areDead ? true : undefined,
            limit: PAGE_ROWS,
            offset: offsetOf(page),
          },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });

export const attempt = (project_id: string, attempt_id: string) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'attempts', 'one', attempt_id],
    queryFn: ({ signal }) => api.getDeliveryAttempt({ path: { attempt_id }, query: { project_id } }, { signal }),
  });

/** Reads what may be done with an attempt that did not arrive, or why not. The actions themselves check it again. */
export const readiness = (project_id: string, attempt_id: string) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'attempts', 'readiness', attempt_id],
    queryFn: async ({ signal }) => {
      const which = { path: { attempt_id }, query: { project_id } };
      const [replay, retryNow, drain] = await Promise.all([
        api.getReplayReadiness(which, { signal }),
        api.getRetryReadiness(which, { signal }),
        api.getDrainReadiness(which, { signal }),
      ]);
      return { replay, retryNow, drain };
    },
  });

export const attemptsKey = (project_id: string) => [...deliveryOf(project_id), 'attempts'] as const;

export const retryAudits = (project_id: string, { status, attempt: delivery_id, page }: RetrySearch) =>
  queryOptions({
    queryKey: [...deliveryOf(project_id), 'attempts', 'audits', { status, delivery_id, page }],
    queryFn: ({ signal }) =>
      api.listRetryAudits(
        { query: { project_id, status, delivery_id, limit: PAGE_ROWS, offset: offsetOf(page) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });
