import type { Schemas } from '@operational-events/client';
import { createRoute } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, textOf } from './search-members.js';

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  staticData: { isTimed: true },
  component: lazyRouteComponent(() => import('../pages/overview/overview.js'), 'OverviewPage'),
});
/** Filters of the log in the address. A filter that is not set is left out. */
export interface LogFilters {
  readonly q?: string | undefined;
  readonly status?: Outcome | undefined;
  readonly method?: string | undefined;
  /** How far back the page reads. Undefined: the page is live. */
  readonly range?: Range | undefined;
}
type Range = Schemas['Range'];
/** By HTTP status: below 400, below 500, and from 500 on. */
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

/** Pages for what arrives now: overview and logs. */
export const watchingRoutes = [overview, logs];
