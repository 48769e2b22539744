import type { Schemas } from '@operational-events/client';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { project } from './around.js';
import { oneOf, textOf } from './search-members.js';

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview.js'), 'OverviewPage'),
});
/** Filters of the log, in the address; what is not set is not there. */
export interface LogFilters {
  readonly q?: string | undefined;
  readonly status?: Outcome | undefined;
  readonly method?: string | undefined;
  /** Looks back so far; without it the page is live. */
  readonly range?: Range | undefined;
}
type Range = Schemas['Range'];
/** As the statuses of HTTP have it: below 400, below 500, from 500. */
export type Outcome = 'ok' | 'refused' | 'errors';
const OUTCOMES = ['ok', 'refused', 'errors'] as const satisfies Outcome[];
const RANGES = ['15m', '1h', '24h', '7d', '30d', 'all'] as const satisfies Range[];
const logs = createRoute({
  getParentRoute: () => project,
  path: '/logs',
  validateSearch: ({ q, status, method, range }: Record<string, unknown>): LogFilters => ({
    q: textOf(q),
    status: oneOf(OUTCOMES, status),
    method: textOf(method),
    range: oneOf(RANGES, range),
  }),
  component: lazyRouteComponent(() => import('../pages/logs/logs.js'), 'LogsPage'),
});

/** What is coming in, what is slow and what is failing. */
export const watchingRoutes = [overview, logs];
