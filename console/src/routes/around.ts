import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { organizations, projects } from '../api/queries.js';
import { changeFailed, readFailed } from '../api/second-factor.js';
import { isSignedIn, restore } from '../api/session.js';
import { projectSettings } from '../api/owning.js';
import { isPassing, waitOf } from '../api/waiting.js';
import { RootPage } from '../shell/root-page.js';
import { lazyRouteComponent } from './lazy-page.js';
import { keepTime, timeIn } from './time-search.js';

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: readFailed }),
  mutationCache: new MutationCache({ onError: (error) => void changeFailed(error).catch(() => undefined) }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 3 && isPassing(error),
      retryDelay: (failures, error) => waitOf(error) ?? Math.min(1_000 * 2 ** failures, 8_000),
      refetchOnWindowFocus: true,
    },
  },
});

/** Restores the session once. After a failure, the next page tries again. */
let restored: Promise<void> | undefined;
const beginning = (): Promise<void> =>
  (restored ??= restore().catch((error: unknown) => {
    restored = undefined;
    throw error;
  }));

// Starts while the page still renders. A failure is reported to the code that waits for the session.
beginning().catch(() => undefined);

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: RootPage,
});

/** Pages for people who are signed in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    await beginning();
    if (!isSignedIn()) throw redirect({ to: '/login', search: { next: location.href } });
  },
  component: Outlet,
});

/** Pages of a project. The address names the project and its organization. */
export const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$organization/p/$project',
  validateSearch: timeIn,
  search: { middlewares: [keepTime] },
  loader: async ({ context, params }) => {
    const [known, all] = await Promise.all([
      context.queries.query({ ...organizations, staleTime: 'static' }),
      context.queries.query({ ...projects, staleTime: 'static' }),
    ]);
    const organization = known.find(({ slug }) => slug === params.organization);
    const found = all.find(
      ({ slug, organization_id }) => slug === params.project && organization_id === organization?.id,
    );
    if (organization === undefined || found === undefined) throw redirect({ to: '/missing' });
    // Pages show times in the zone of the project from the beginning.
    await context.queries.query({ ...projectSettings(found.id), staleTime: 'static' });
    return { organization, project: found };
  },
  component: lazyRouteComponent(() => import('../shell/shell.js'), 'Shell'),
});
