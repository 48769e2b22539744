import type { Schemas } from '@operational-events/client';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { spanOf } from '../parts/spans.js';
import type { AttemptFilters, AttemptState, DeadLetterSearch, RetrySearch } from '../routes/delivery.js';
import { api } from './client.js';
import type { Window } from './insight.js';
import { offsetOf, PAGE_ROWS } from './pages.js';
import { MANAGERS } from './roles.js';

/** Roles with the capability to manage channels. Operators do not have it, and only managers drain dead letters. */
export const CHANNEL_MANAGERS = [...MANAGERS, 'member'] as const;

const POLL_MS = 30_000;
/** An attempt that is under way is read again after this time. */
const UNDER_WAY_MS = 3_000;

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

/** The key of everything that was sent, which replays and retries change. */
export const attemptsKey = (project_id: string) => [...deliveryOf(project_id), 'attempts'] as const;

/** The alert deliveries of one alert. */
export const alertDeliveries = (project_id: string, { alert: alert_event_id }: { readonly alert: string }) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'of-alert', alert_event_id],
    queryFn: ({ signal }) =>
      api.listAlertDeliveries({ query: { project_id, alert_event_id, limit: PAGE_ROWS } }, { signal }),
    refetchInterval: POLL_MS,
  });

export const alertDelivery = (project_id: string, delivery_id: string) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'one-of-alert', delivery_id],
    queryFn: ({ signal }) => api.getAlertDelivery({ path: { delivery_id } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? UNDER_WAY_MS : false),
  });

/** A row of the list of attempts: an attempt of a channel, or an alert delivery to a destination. */
export type AnyAttempt =
  | { readonly of: 'channel'; readonly it: Schemas['AttemptResponse'] }
  | { readonly of: 'destination'; readonly it: Schemas['AlertDeliveryResponse'] };

/** Returns what attempts of channels in a state have in common. */
function channelFilterOf(state: AttemptState | undefined) {
  switch (state) {
    case undefined:
      return {};
    case 'retrying':
      return { retryable: true };
    case 'failed':
      return { status: state, retryable: false };
    case 'dlq':
      return { dlq: true };
    default:
      return { status: state };
  }
}

/** The position of a page: the rows that came before it, and the time window of the first page. */
interface Place {
  readonly ofChannels: number;
  readonly ofDestinations: number;
  readonly from_ts: string | undefined;
  readonly to_ts: string | undefined;
}

/** A query that has no rows by its filters is not sent. */
const NONE = { items: [], total: 0 };

/**
 * Reads what was sent to all endpoints, newest first. The service lists attempts of channels and of destinations separately.
 * Both lists have the same order, so a page merges the rows that follow in each, and its total is the sum.
 */
export const attemptPages = (project_id: string, window: Window, filters: AttemptFilters) => {
  const { state, kind, endpoint, alert } = filters;
  return infiniteQueryOptions({
    queryKey: [...attemptsKey(project_id), 'list', window, { state, kind, endpoint, alert }],
    initialPageParam: null as Place | null,
    queryFn: async ({ signal, pageParam }) => {
      const place = pageParam ?? firstPlace(window);
      const { from_ts, to_ts } = place;
      const common = { project_id, from_ts, to_ts, limit: PAGE_ROWS };
      const [ofChannels, ofDestinations] = await Promise.all([
        alert !== undefined
          ? NONE
          : api.listDeliveryAttempts(
              {
                query: {
                  ...common,
                  ...channelFilterOf(state),
                  kind,
                  channel_id: endpoint,
                  offset: place.ofChannels,
                },
              },
              { signal },
            ),
        // Dead letters and stored tests are of channels.
        state === 'dlq' || kind === 'test'
          ? NONE
          : api.listAlertDeliveries(
              {
                query: {
                  ...common,
                  status: state,
                  destination_id: endpoint,
                  alert_event_id: alert,
                  offset: place.ofDestinations,
                },
              },
              { signal },
            ),
      ]);
      const rows = [
        ...ofChannels.items.map((it): AnyAttempt => ({ of: 'channel', it })),
        ...ofDestinations.items.map((it): AnyAttempt => ({ of: 'destination', it })),
      ]
        .sort((one, other) => Date.parse(other.it.created_at) - Date.parse(one.it.created_at))
        .slice(0, PAGE_ROWS);
      const taken = rows.filter((row) => row.of === 'channel').length;
      const next: Place = {
        ...place,
        ofChannels: place.ofChannels + taken,
        ofDestinations: place.ofDestinations + rows.length - taken,
      };
      const isLast =
        rows.length === 0 || (next.ofChannels >= ofChannels.total && next.ofDestinations >= ofDestinations.total);
      return { rows, total: ofChannels.total + ofDestinations.total, next: isLast ? undefined : next };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // Further pages stay as they are, because a refetch would read every page again.
    refetchInterval: ({ state: { data } }) => {
      const [first, second] = data?.pages ?? [];
      if (second !== undefined) return false;
      return first?.rows.some(({ it }) => it.status === 'pending') === true ? UNDER_WAY_MS : POLL_MS;
    },
  });
};

/** A range that ends now has no end, so that the clock of the browser hides no row. */
function firstPlace(window: Window): Place {
  const span = spanOf(window, Date.now());
  return {
    ofChannels: 0,
    ofDestinations: 0,
    from_ts: span === null ? undefined : new Date(span.from).toISOString(),
    to_ts: window.to,
  };
}

/** The newest attempt of an endpoint, or null. */
export const lastAttempt = (project_id: string, of: AnyAttempt['of'], id: string) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'last', id],
    queryFn: async ({ signal }): Promise<AnyAttempt | null> => {
      if (of === 'channel') {
        const query = { project_id, channel_id: id, limit: 1 };
        const [it] = (await api.listDeliveryAttempts({ query }, { signal })).items;
        return it === undefined ? null : { of, it };
      }
      const query = { project_id, destination_id: id, limit: 1 };
      const [it] = (await api.listAlertDeliveries({ query }, { signal })).items;
      return it === undefined ? null : { of, it };
    },
    // A row that comes into view again is not read again at once.
    staleTime: POLL_MS,
  });

export const deadLetters = (project_id: string, { endpoint, page }: DeadLetterSearch) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'dead-letters', { endpoint, page }],
    queryFn: ({ signal }) =>
      api.listDeliveryAttempts(
        { query: { project_id, channel_id: endpoint, dlq: true, limit: PAGE_ROWS, offset: offsetOf(page) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });

export const attempt = (project_id: string, attempt_id: string) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'one', attempt_id],
    queryFn: ({ signal }) => api.getDeliveryAttempt({ path: { attempt_id }, query: { project_id } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? UNDER_WAY_MS : false),
  });

/** Reads which actions are possible in the present state of an attempt, or why not. The actions check it again. */
export const readiness = (
  project_id: string,
  { id: attempt_id, status, retry_state }: Pick<Schemas['AttemptResponse'], 'id' | 'status' | 'retry_state'>,
) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'readiness', attempt_id, status, retry_state],
    queryFn: async ({ signal }) => {
      const which = { path: { attempt_id }, query: { project_id } };
      const [replay, retryNow, drain] = await Promise.all([
        api.getReplayReadiness(which, { signal }),
        api.getRetryReadiness(which, { signal }),
        api.getDrainReadiness(which, { signal }),
      ]);
      return { replay, retryNow, drain };
    },
    placeholderData: keepPreviousData,
  });

export const retryAudits = (project_id: string, { status, attempt: delivery_id, page }: RetrySearch) =>
  queryOptions({
    queryKey: [...attemptsKey(project_id), 'audits', { status, delivery_id, page }],
    queryFn: ({ signal }) =>
      api.listRetryAudits(
        { query: { project_id, status, delivery_id, limit: PAGE_ROWS, offset: offsetOf(page) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });
