import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { LoginPage } from '../pages/sign-in/login.js';
import { root, signedIn } from './around.js';

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
  component: LoginPage,
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('../pages/sign-in/register.js'), 'RegisterPage'),
});
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('../pages/sign-in/mailed-links.js'), 'VerifyEmailPage'),
});
const confirmEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email-change',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('../pages/sign-in/mailed-links.js'), 'ConfirmEmailChangePage'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../pages/sign-in/passwords.js'), 'ForgotPasswordPage'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('../pages/sign-in/passwords.js'), 'ResetPasswordPage'),
});

/** What a provider brings back is read from the address as it stands. */
const oauthCallback = createRoute({
  getParentRoute: () => root,
  path: '/oauth/callback',
  component: lazyRouteComponent(() => import('../pages/sign-in/oauth-callback.js'), 'OAuthCallbackPage'),
});

const invitation = createRoute({
  getParentRoute: () => signedIn,
  path: '/invites/$invitation',
  validateSearch: mailedTokenOf,
  component: lazyRouteComponent(() => import('../pages/sign-in/invitation.js'), 'InvitationPage'),
});

export const signInRoutes = [
  login,
  register,
  verifyEmail,
  confirmEmailChange,
  forgotPassword,
  resetPassword,
  oauthCallback,
];
export const invitationRoute = invitation;
