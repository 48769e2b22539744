import type { Schemas } from '@operational-events/client';
import { createRoute, redirect } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, pageOf, textOf } from './search-members.js';
import { timeIn } from './time-search.js';

/** The unvalidated search parameters of an address. */
type RawSearch = Record<string, unknown>;

const endpoints = createRoute({
  getParentRoute: () => project,
  path: '/endpoints',
  component: lazyRouteComponent(() => import('../pages/delivery/endpoints/endpoints.js'), 'EndpointsPage'),
});

/** States of attempts of all endpoints. Dead letters are also failed. */
export const ATTEMPT_STATES = ['sent', 'pending', 'retrying', 'failed', 'dlq'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];
const ATTEMPT_KINDS = ['rule_match', 'test'] as const satisfies Schemas['DeliveryAttemptKind'][];

export interface AttemptFilters {
  readonly state?: AttemptState | undefined;
  readonly kind?: Schemas['DeliveryAttemptKind'] | undefined;
  /** The id of a destination or a channel. */
  readonly endpoint?: string | undefined;
  /** The id of an alert event. Only attempts of destinations name theirs. */
  readonly alert?: string | undefined;
}
interface ShownAttempt {
  /** The id of the attempt of a channel that is shown. */
  readonly attempt?: string | undefined;
  /** The id of the alert delivery that is shown. */
  readonly delivery?: string | undefined;
}
export interface AttemptSearch extends AttemptFilters, ShownAttempt {}
const attemptSearchOf = ({ state, kind, endpoint, alert, attempt, delivery }: RawSearch): AttemptSearch => ({
  state: oneOf(ATTEMPT_STATES, state),
  kind: oneOf(ATTEMPT_KINDS, kind),
  endpoint: textOf(endpoint),
  alert: textOf(alert),
  attempt: textOf(attempt),
  delivery: textOf(delivery),
});
const attempts = createRoute({
  getParentRoute: () => project,
  path: '/attempts',
  staticData: { isTimed: true },
  validateSearch: attemptSearchOf,
  component: lazyRouteComponent(() => import('../pages/delivery/attempts/attempts.js'), 'AttemptsPage'),
});

export interface DeadLetterSearch {
  readonly endpoint?: string | undefined;
  readonly page?: string | undefined;
  /** The id of the attempt that is shown. */
  readonly attempt?: string | undefined;
}
const deadLetters = createRoute({
  getParentRoute: () => project,
  path: '/dead-letters',
  // Older addresses name a channel.
  validateSearch: ({ endpoint, channel, page, attempt }: RawSearch): DeadLetterSearch => ({
    endpoint: textOf(endpoint) ?? textOf(channel),
    page: pageOf(page),
    attempt: textOf(attempt),
  }),
  component: lazyRouteComponent(() => import('../pages/delivery/attempts/dead-letters.js'), 'DeadLettersPage'),
});

const AUDIT_STATUSES = [
  'claimed',
  'dispatched',
  'failed',
  'exhausted',
  'skipped',
] as const satisfies Schemas['RetryAuditStatus'][];
export interface RetrySearch {
  readonly status?: Schemas['RetryAuditStatus'] | undefined;
  readonly attempt?: string | undefined;
  readonly page?: string | undefined;
}
const retries = createRoute({
  getParentRoute: () => project,
  path: '/retries',
  validateSearch: ({ status, attempt, page }: RawSearch): RetrySearch => ({
    status: oneOf(AUDIT_STATUSES, status),
    attempt: textOf(attempt),
    page: pageOf(page),
  }),
  component: lazyRouteComponent(() => import('../pages/delivery/retries.js'), 'RetriesPage'),
});

const BASE = '/o/$organization/p/$project';

/** Addresses of earlier versions lead to the pages that show the same. */
const formerEndpoints = (['/destinations', '/channels'] as const).map((path) =>
  createRoute({
    getParentRoute: () => project,
    path,
    beforeLoad: ({ params }) => {
      throw redirect({ to: `${BASE}/endpoints`, params, replace: true });
    },
  }),
);

/** The former lists had no time range, so an address without one leads to the attempts of all time. */
function formerAttempts(
  path: '/alert-deliveries' | '/delivery-history',
  searchOf: (asked: RawSearch) => AttemptSearch,
) {
  return createRoute({
    getParentRoute: () => project,
    path,
    validateSearch: (asked: RawSearch) => asked,
    beforeLoad: ({ params, search }) => {
      const time = timeIn(search);
      const range = time.from === undefined ? (time.range ?? 'all') : undefined;
      throw redirect({
        to: `${BASE}/attempts`,
        params,
        search: { ...searchOf(search), ...time, range },
        replace: true,
      });
    },
  });
}
const formerAlertDeliveries = formerAttempts('/alert-deliveries', ({ status, destination, alert }) =>
  attemptSearchOf({ state: status, endpoint: destination, alert }),
);

const STATE_OF_RETRIES: Readonly<Record<Schemas['DeliveryRetryState'], AttemptState>> = {
  pending: 'pending',
  retryable: 'retrying',
  scheduled_retry: 'retrying',
  retry_exhausted: 'failed',
  dlq: 'dlq',
  terminal: 'failed',
};
const RETRY_STATES = Object.keys(STATE_OF_RETRIES) as Schemas['DeliveryRetryState'][];
const formerHistory = formerAttempts('/delivery-history', ({ status, retry, kind, channel, attempt }) => {
  const retryState = oneOf(RETRY_STATES, retry);
  // Failed attempts with a retry ahead were among the failed ones. No present state has both, so all are shown.
  const stateOfStatus = status === 'failed' ? undefined : status;
  const state = retryState === undefined ? stateOfStatus : STATE_OF_RETRIES[retryState];
  return attemptSearchOf({ state, kind, endpoint: channel, attempt });
});

/** Pages for endpoints and what was delivered to them. */
export const deliveryRoutes = [
  endpoints,
  attempts,
  deadLetters,
  retries,
  ...formerEndpoints,
  formerAlertDeliveries,
  formerHistory,
];
