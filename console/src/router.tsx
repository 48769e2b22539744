import type { Schemas } from '@operational-events/client';
import { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { organizations, projects } from './api/queries.js';
import { isSignedIn, onSession, restore } from './api/session.js';
import { isPassing } from './parts/failures.js';
import { FailedPage, MissingPage, PendingPage } from './shell/around-pages.js';

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: (failures, error) => failures < 2 && isPassing(error), refetchOnWindowFocus: true },
  },
});

/** Once; when it failed, the next page tries again. */
let restored: Promise<void> | undefined;
const beginning = (): Promise<void> =>
  (restored ??= restore().catch((error: unknown) => {
    restored = undefined;
    throw error;
  }));

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  beforeLoad: beginning,
  component: Outlet,
});

/*
 * What a route does not take is undefined, and named: a member that is left out would come as it stands in the address.
 */

/** Where to go on after a sign-in: an address of this page. */
interface Next {
  readonly next?: string | undefined;
}
const nextOf = ({ next }: Record<string, unknown>): Next => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
});

/** What a mailed link carries. */
interface MailedToken {
  readonly token?: string | undefined;
  readonly email?: string | undefined;
}
const mailedTokenOf = ({ token, email }: Record<string, unknown>): MailedToken => ({
  token: typeof token === 'string' ? token : undefined,
  email: typeof email === 'string' ? email : undefined,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/login.js'), 'LoginPage'),
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/register.js'), 'RegisterPage'),
});
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/mailed-links.js'), 'VerifyEmailPage'),
});
const confirmEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email-change',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/mailed-links.js'), 'ConfirmEmailChangePage'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/passwords.js'), 'ForgotPasswordPage'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/passwords.js'), 'ResetPasswordPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/login', search: { next: location.href } });
  },
  component: Outlet,
});

const invitation = createRoute({
  getParentRoute: () => signedIn,
  path: '/invites/$invitation',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('./pages/sign-in/invitation.js'), 'InvitationPage'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const [known, all] = await Promise.all([
      context.queries.query({ ...organizations, staleTime: 'static' }),
      context.queries.query({ ...projects, staleTime: 'static' }),
    ]);
    const [first] = all;
    const organization = known.find(({ id }) => id === first?.organization_id);
    if (first === undefined || organization === undefined) throw redirect({ to: '/start' });
    throw redirect({
      to: '/o/$organization/p/$project',
      params: { organization: organization.slug, project: first.slug },
    });
  },
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/start',
  component: lazyRouteComponent(() => import('./pages/start/start.js'), 'StartPage'),
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$organization/p/$project',
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
    return { organization, project: found };
  },
  component: lazyRouteComponent(() => import('./shell/shell.js'), 'Shell'),
});

const missing = createRoute({ getParentRoute: () => root, path: '/missing', component: MissingPage });

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview.js'), 'OverviewPage'),
});
const firstSteps = createRoute({
  getParentRoute: () => project,
  path: '/first-event',
  component: lazyRouteComponent(() => import('./pages/start/first-event.js'), 'FirstEventPage'),
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
  component: lazyRouteComponent(() => import('./pages/logs/logs.js'), 'LogsPage'),
});
const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys/keys.js'), 'KeysPage'),
});

/** Limits send people there (`UPGRADE_URL`). */
const billing = createRoute({
  getParentRoute: () => signedIn,
  path: '/billing',
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});

export const router = createRouter({
  basepath: '/console',
  // Text as it is: 500 that somebody looks for is no number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  },
  routeTree: root.addChildren([
    login,
    register,
    verifyEmail,
    confirmEmailChange,
    forgotPassword,
    resetPassword,
    missing,
    signedIn.addChildren([home, billing, invitation, start, project.addChildren([overview, firstSteps, logs, keys])]),
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
}

// A session that ended, here, in another tab or by the service: the page asks who is there, and what was read is forgotten.
onSession(() => {
  if (!isSignedIn()) void router.invalidate().then(() => queries.clear());
});
