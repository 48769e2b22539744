import { createRoute } from '@tanstack/react-router';
import { signedIn } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { nextOf } from './sign-in.js';

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../shell/account-shell.js'), 'AccountShell'),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/account/profile.js'), 'ProfilePage'),
});
const factors = createRoute({
  getParentRoute: () => account,
  path: '/factors',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('../pages/account/factors.js'), 'FactorsPage'),
});
const sessions = createRoute({
  getParentRoute: () => account,
  path: '/sessions',
  component: lazyRouteComponent(() => import('../pages/account/sessions.js'), 'SessionsPage'),
});
const securityLog = createRoute({
  getParentRoute: () => account,
  path: '/security-log',
  component: lazyRouteComponent(() => import('../pages/account/security-log.js'), 'SecurityLogPage'),
});

/** Pages of a person's account. */
export const accountRoutes = account.addChildren([profile, factors, sessions, securityLog]);
