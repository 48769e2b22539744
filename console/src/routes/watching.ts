import { createRoute, redirect } from '@tanstack/react-router';
import { project } from './around.js';
import { homeOf } from './home.js';
import { lazyRouteComponent } from './lazy-page.js';
import { fromExplorer, logsSearch } from './logs-search.js';
import { oneOf } from './search-members.js';

interface OverviewSearch {
  /** Shows the overview, whatever the home of the project is. */
  readonly overview?: 'on' | undefined;
}

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  staticData: { isTimed: true },
  validateSearch: ({ overview: asked }: Record<string, unknown>): OverviewSearch => ({
    overview: oneOf(['on'] as const, asked),
  }),
  beforeLoad: ({ params, search }) => {
    const dashboard = search.overview === 'on' ? undefined : homeOf(params);
    if (dashboard !== undefined)
      throw redirect({ to: '/o/$organization/p/$project/dashboards/$dashboard', params: { ...params, dashboard } });
  },
  component: lazyRouteComponent(() => import('../pages/overview/overview.js'), 'OverviewPage'),
});

const logs = createRoute({
  getParentRoute: () => project,
  path: '/logs',
  staticData: { isTimed: true },
  validateSearch: logsSearch,
  component: lazyRouteComponent(() => import('../pages/logs/logs.js'), 'LogsPage'),
});

/** The address of the Explorer, which is part of the logs now. */
const explorer = createRoute({
  getParentRoute: () => project,
  path: '/events',
  validateSearch: (asked: Record<string, unknown>) => asked,
  beforeLoad: ({ params, search }) => {
    throw redirect({
      to: '/o/$organization/p/$project/logs',
      params,
      search: logsSearch(fromExplorer(search)),
      replace: true,
    });
  },
});

/** Pages for what has arrived: overview and logs. */
export const watchingRoutes = [overview, logs, explorer];
