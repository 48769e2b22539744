import { createRoute } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, textOf } from './search-members.js';
import type { TimeSearch } from './time-search.js';

const dashboards = createRoute({
  getParentRoute: () => project,
  path: '/dashboards',
  component: lazyRouteComponent(() => import('../pages/dashboards/dashboards.js'), 'DashboardsPage'),
});

export interface DashboardSearch extends TimeSearch {
  /** Chosen values of variables by their names, as a JSON object. Null: all values. */
  readonly values?: string | undefined;
  /** Whether the dashboard covers the whole window. */
  readonly full?: 'on' | undefined;
  /** The id of the event whose details are open. */
  readonly shown?: string | undefined;
}

const dashboard = createRoute({
  getParentRoute: () => project,
  path: '/dashboards/$dashboard',
  staticData: { isTimed: true },
  validateSearch: ({ values, full, shown }: Record<string, unknown>): DashboardSearch => ({
    values: textOf(values),
    full: oneOf(['on'] as const, full),
    shown: textOf(shown),
  }),
  component: lazyRouteComponent(() => import('../pages/dashboards/dashboard.js'), 'DashboardPage'),
});

/** Pages for dashboards. */
export const dashboardRoutes = [dashboards, dashboard];
