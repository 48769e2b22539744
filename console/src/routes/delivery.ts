import type { Schemas } from '@operational-events/client';
import { createRoute } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, pageOf, textOf } from './search-members.js';

const destinations = createRoute({
  getParentRoute: () => project,
  path: '/destinations',
  component: lazyRouteComponent(() => import('../pages/delivery/destinations.js'), 'DestinationsPage'),
});

const channels = createRoute({
  getParentRoute: () => project,
  path: '/channels',
  component: lazyRouteComponent(() => import('../pages/delivery/channels/channels.js'), 'ChannelsPage'),
});

const ALERT_DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'sent',
  'failed',
] as const satisfies Schemas['AlertDeliveryStatus'][];
export interface AlertDeliverySearch {
  readonly status?: Schemas['AlertDeliveryStatus'] | undefined;
  readonly destination?: string | undefined;
  readonly alert?: string | undefined;
  readonly page?: string | undefined;
}
const alertDeliveries = createRoute({
  getParentRoute: () => project,
  path: '/alert-deliveries',
  validateSearch: ({ status, destination, alert, page }: Record<string, unknown>): AlertDeliverySearch => ({
    status: oneOf(ALERT_DELIVERY_STATUSES, status),
    destination: textOf(destination),
    alert: textOf(alert),
    page: pageOf(page),
  }),
  component: lazyRouteComponent(() => import('../pages/delivery/alert-deliveries.js'), 'AlertDeliveriesPage'),
});

const ATTEMPT_STATUSES = ['pending', 'sent', 'failed'] as const satisfies Schemas['DeliveryAttemptStatus'][];
const ATTEMPT_KINDS = ['rule_match', 'test'] as const satisfies Schemas['DeliveryAttemptKind'][];
export const RETRY_STATES = [
  'pending',
  'retryable',
  'scheduled_retry',
  'retry_exhausted',
  'dlq',
  'terminal',
] as const satisfies Schemas['DeliveryRetryState'][];
export interface AttemptSearch {
  readonly status?: Schemas['DeliveryAttemptStatus'] | undefined;
  readonly kind?: Schemas['DeliveryAttemptKind'] | undefined;
  readonly retry?: Schemas['DeliveryRetryState'] | undefined;
  readonly channel?: string | undefined;
  readonly page?: string | undefined;
  /** The id of the attempt that is shown. */
  readonly attempt?: string | undefined;
}
const attemptSearchOf = ({ status, kind, retry, channel, page, attempt }: Record<string, unknown>): AttemptSearch => ({
  status: oneOf(ATTEMPT_STATUSES, status),
  kind: oneOf(ATTEMPT_KINDS, kind),
  retry: oneOf(RETRY_STATES, retry),
  channel: textOf(channel),
  page: pageOf(page),
  attempt: textOf(attempt),
});
const history = createRoute({
  getParentRoute: () => project,
  path: '/delivery-history',
  validateSearch: attemptSearchOf,
  component: lazyRouteComponent(() => import('../pages/delivery/attempts/history.js'), 'DeliveryHistoryPage'),
});
const deadLetters = createRoute({
  getParentRoute: () => project,
  path: '/dead-letters',
  validateSearch: attemptSearchOf,
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
  validateSearch: ({ status, attempt, page }: Record<string, unknown>): RetrySearch => ({
    status: oneOf(AUDIT_STATUSES, status),
    attempt: textOf(attempt),
    page: pageOf(page),
  }),
  component: lazyRouteComponent(() => import('../pages/delivery/retries.js'), 'RetriesPage'),
});

/** Pages for destinations, channels and what was delivered. */
export const deliveryRoutes = [destinations, channels, alertDeliveries, history, deadLetters, retries];
