import { createRouter } from '@tanstack/react-router';
import { onSecondFactorMissing } from './api/second-factor.js';
import { isSignedIn, onSession } from './api/session.js';
import { accountRoutes } from './routes/account.js';
import { alertingRoutes } from './routes/alerting.js';
import { queries, root, project, signedIn } from './routes/around.js';
import { dashboardRoutes } from './routes/dashboards.js';
import { deliveryRoutes } from './routes/delivery.js';
import { insightRoutes } from './routes/insight.js';
import { anyBilling, organizationRoutes } from './routes/organization.js';
import { owningRoutes } from './routes/owning.js';
import { invitationRoute, signInRoutes } from './routes/sign-in.js';
import { firstStepsRoute, missing, startRoutes } from './routes/start.js';
import { watchingRoutes } from './routes/watching.js';
import { FailedPage, MissingPage, PendingPage } from './shell/around-pages.js';

/** The page on which a person sets up second factors. */
const FACTORS = '/account/factors';

export const router = createRouter({
  basepath: '/console',
  // Search parameters are text: 500 in a search field is not a number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  },
  routeTree: root.addChildren([
    ...signInRoutes,
    missing,
    signedIn.addChildren([
      ...startRoutes,
      invitationRoute,
      accountRoutes,
      anyBilling,
      project.addChildren([
        firstStepsRoute,
        ...watchingRoutes,
        ...alertingRoutes,
        ...deliveryRoutes,
        ...insightRoutes,
        ...dashboardRoutes,
        ...owningRoutes,
        ...organizationRoutes,
      ]),
    ]),
  ]),
  context: { queries },
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: MissingPage,
  defaultPendingComponent: PendingPage,
  defaultPendingMs: 300,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Whether the page shows the time range of the project. */
    isTimed?: boolean;
  }
}

// When a session has ended, here, in another tab or by the service, the page checks who is signed in and clears its
// data.
onSession(() => {
  if (!isSignedIn()) void router.invalidate().then(() => queries.clear());
});

// Every other page would only show refusals until the person has a second factor.
onSecondFactorMissing(() => {
  const { pathname, href } = router.latestLocation;
  if (pathname.startsWith(FACTORS)) return;
  void router.navigate({ to: FACTORS, search: { next: href }, replace: true });
});
