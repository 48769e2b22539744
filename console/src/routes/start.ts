import { createRoute, redirect } from '@tanstack/react-router';
import { firstProject } from '../api/first-project.js';
import { MissingPage } from '../shell/around-pages.js';
import { project, root, signedIn } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const first = await firstProject(context.queries);
    if (first === undefined) throw redirect({ to: '/start' });
    throw redirect({ to: '/o/$organization/p/$project', params: first });
  },
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/start',
  component: lazyRouteComponent(() => import('../pages/start/start.js'), 'StartPage'),
});

export const missing = createRoute({ getParentRoute: () => root, path: '/missing', component: MissingPage });

const firstSteps = createRoute({
  getParentRoute: () => project,
  path: '/first-event',
  component: lazyRouteComponent(() => import('../pages/start/first-event.js'), 'FirstEventPage'),
});

export const startRoutes = [home, start];
export const firstStepsRoute = firstSteps;
