import type { Schemas } from '@operational-events/client';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { project } from './around.js';

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
const OUTCOMES: readonly unknown[] = ['ok', 'refused', 'errors'] satisfies Outcome[];
const RANGES: readonly unknown[] = ['15m', '1h', '24h', '7d', '30d', 'all'] satisfies Range[];
const logs = createRoute({
  getParentRoute: () => project,
  path: '/logs',
  validateSearch: ({ q, status, method, range }: Record<string, unknown>): LogFilters => ({
    q: typeof q === 'string' && q !== '' ? q : undefined,
    status: OUTCOMES.includes(status) ? (status as Outcome) : undefined,
    method: typeof method === 'string' && method !== '' ? method : undefined,
    range: RANGES.includes(range) ? (range as Range) : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/logs/logs.js'), 'LogsPage'),
});

/** What is coming in, what is slow and what is failing. */
export const watchingRoutes = [overview, logs];
