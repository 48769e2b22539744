import { createRoute } from '@tanstack/react-router';
import { LoginPage } from '../pages/sign-in/login.js';
import { root, signedIn } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';

/*
 * Parameters that a route does not accept must be undefined explicitly. A missing member would keep the value of the
 * address.
 */

/** The address in the console to open after the sign-in. */
interface Next {
  readonly next?: string | undefined;
}
export const nextOf = ({ next }: Record<string, unknown>): Next => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
});

/** The parameters of the sign-in page: also why a sign-in by a company was refused. */
interface Login extends Next {
  readonly error?: string | undefined;
}
const loginOf = (search: Record<string, unknown>): Login => {
  const { error } = search;
  return {
    ...nextOf(search),
    error: typeof error === 'string' && /^sso_[a-z_]{1,40}$/.test(error) ? error : undefined,
  };
};

/** The parameters of a mailed link. */
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
  validateSearch: loginOf,
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

/** The page reads the provider's parameters from the address itself. */
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
