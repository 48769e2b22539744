import { createRoute, redirect } from '@tanstack/react-router';
import { firstProject } from '../api/first-project.js';
import { project, signedIn } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';

const members = createRoute({
  getParentRoute: () => project,
  path: '/organization/members',
  component: lazyRouteComponent(() => import('../pages/organization/members.js'), 'MembersPage'),
});
const invitations = createRoute({
  getParentRoute: () => project,
  path: '/organization/invitations',
  component: lazyRouteComponent(() => import('../pages/organization/invitations.js'), 'InvitationsPage'),
});
const billing = createRoute({
  getParentRoute: () => project,
  path: '/organization/billing',
  component: lazyRouteComponent(() => import('../pages/organization/billing.js'), 'BillingPage'),
});
const signIn = createRoute({
  getParentRoute: () => project,
  path: '/organization/sign-in',
  component: lazyRouteComponent(() => import('../pages/organization/sign-in/sign-in.js'), 'SignInPage'),
});

/** Limits and the payment provider link here. Of several organizations, the first one is shown. */
export const anyBilling = createRoute({
  getParentRoute: () => signedIn,
  path: '/billing',
  beforeLoad: async ({ context }) => {
    const first = await firstProject(context.queries);
    if (first === undefined) throw redirect({ to: '/start' });
    throw redirect({ to: '/o/$organization/p/$project/organization/billing', params: first });
  },
});

/** Pages for members, invitations, sign-in and billing of an organization. */
export const organizationRoutes = [members, invitations, signIn, billing];
