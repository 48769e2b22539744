import type { Schemas } from '@operational-events/client';
import { createRoute } from '@tanstack/react-router';
import type { Narrowed } from '../api/insight.js';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, pageOf, textOf } from './search-members.js';
import type { TimeSearch } from './time-search.js';

/** The unvalidated search parameters of an address. */
type RawSearch = Record<string, unknown>;

const AGGREGATES = [
  'count',
  'errors',
  'error_rate',
  'unique',
  'sum',
  'avg',
  'min',
  'max',
  'p50',
  'p95',
  'p99',
] as const satisfies readonly Schemas['Aggregate'][];
const INTERVALS = ['minute', 'hour', 'day', 'week'] as const satisfies readonly Schemas['AskedSeriesInterval'][];
const ORDERS = [
  'requests',
  'p95',
  'error_rate',
  'errors',
  'total_time',
] as const satisfies readonly Schemas['EndpointOrder'][];

export const QUESTIONS = ['series', 'breakdown', 'funnel'] as const;
export interface AnalyticsSearch extends TimeSearch, Narrowed {
  /** The default is `series`. */
  readonly ask?: (typeof QUESTIONS)[number] | undefined;
  readonly aggregate?: Schemas['Aggregate'] | undefined;
  /** The field that is aggregated. */
  readonly field?: string | undefined;
  readonly split?: string | undefined;
  readonly interval?: Schemas['AskedSeriesInterval'] | undefined;
  readonly compare?: 'previous' | undefined;
  /** The field of a breakdown, or the field that identifies what passes through a funnel. */
  readonly by?: string | undefined;
  /** Event types, as a JSON list. */
  readonly steps?: string | undefined;
  /** The time limit of a funnel, in seconds. */
  readonly within?: string | undefined;
}

/** Returns the valid members of an address, or of a saved question. */
export const analyticsSearch = (asked: RawSearch): AnalyticsSearch => ({
  event: textOf(asked.event),
  where: textOf(asked.where),
  ask: oneOf(QUESTIONS, asked.ask),
  aggregate: oneOf(AGGREGATES, asked.aggregate),
  field: textOf(asked.field),
  split: textOf(asked.split),
  interval: oneOf(INTERVALS, asked.interval),
  compare: oneOf(['previous'] as const, asked.compare),
  by: textOf(asked.by),
  steps: textOf(asked.steps),
  within: /^[1-9]\d{0,6}$/.test(String(asked.within)) ? String(asked.within) : undefined,
});

const analytics = createRoute({
  getParentRoute: () => project,
  path: '/analytics',
  staticData: { isTimed: true },
  validateSearch: analyticsSearch,
  component: lazyRouteComponent(() => import('../pages/analytics/analytics.js'), 'AnalyticsPage'),
});

export const REQUEST_LISTS = ['slowest', 'failures'] as const;
export interface PerformanceSearch extends TimeSearch {
  /** Together with the method: the route or the endpoint that has the page. Undefined: the page is about all. */
  readonly route?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly method?: string | undefined;
  /** Undefined: requests. `other` are the events that name no method. */
  readonly events?: 'other' | undefined;
  /** A condition in EQL. */
  readonly where?: string | undefined;
  /** In milliseconds. */
  readonly apdex?: string | undefined;
  /** Undefined: the list by route or endpoint. */
  readonly list?: (typeof REQUEST_LISTS)[number] | undefined;
  /** Undefined: by route. */
  readonly by?: 'endpoint' | undefined;
  readonly q?: string | undefined;
  readonly sort?: Schemas['EndpointOrder'] | undefined;
  readonly page?: string | undefined;
  /** The id of the event whose details are open. */
  readonly shown?: string | undefined;
}

/** Returns the valid members of an address, or of a saved question. */
export const performanceSearch = (asked: RawSearch): PerformanceSearch => ({
  route: textOf(asked.route),
  endpoint: textOf(asked.endpoint),
  method: textOf(asked.method),
  events: oneOf(['other'] as const, asked.events),
  where: textOf(asked.where),
  apdex: /^[1-9]\d{0,4}$/.test(String(asked.apdex)) ? String(asked.apdex) : undefined,
  list: oneOf(REQUEST_LISTS, asked.list),
  by: oneOf(['endpoint'] as const, asked.by),
  q: textOf(asked.q),
  sort: oneOf(ORDERS, asked.sort),
  page: pageOf(asked.page),
  shown: textOf(asked.shown),
});

const performance = createRoute({
  getParentRoute: () => project,
  path: '/performance',
  staticData: { isTimed: true },
  validateSearch: performanceSearch,
  component: lazyRouteComponent(() => import('../pages/performance/performance.js'), 'PerformancePage'),
});

export interface EqlSearch extends TimeSearch {
  /** The query that was run. */
  readonly q?: string | undefined;
  readonly shown?: string | undefined;
}

/** Returns the valid members of an address, or of a saved question. */
export const eqlSearch = (asked: RawSearch): EqlSearch => ({
  q: textOf(asked.q),
  shown: textOf(asked.shown),
});

const eql = createRoute({
  getParentRoute: () => project,
  path: '/eql',
  staticData: { isTimed: true },
  validateSearch: eqlSearch,
  component: lazyRouteComponent(() => import('../pages/eql/eql.js'), 'EqlPage'),
});

/** Pages for queries of events. */
export const insightRoutes = [analytics, performance, eql];
