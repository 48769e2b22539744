import { createHmac } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { constantTimeEqual, randomToken, sha256 } from '../../../platform/crypto/index.js';
import type { MfaChallengeResponse } from '../../identity/second-factors/index.js';
import { clientOf, SessionCookie } from '../../identity/sessions/index.js';
import { SsoFault } from './sso-fault.js';
import { SsoRefusalsRepository } from './sso-refusals.repository.js';
import type { SsoSignedIn } from './sso-sign-in.service.js';
import { SsoStartsRepository } from './sso-starts.repository.js';

const COOKIE = 'sso_browser';
const COOKIE_PATH = '/sso';
const TOKEN = /^[\w-]{43}$/;
/** The time that a person has to sign in at the provider. */
const START_LIFE_SECONDS = 600;
const CONSOLE = '/console';
/** Matches a URL path of the console to which the browser may be redirected after the sign-in. */
const RETURN_TO = /^\/console(?:\/[\w.~!$&'()*+,;=:@%/-]*)?(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?$/;
const MAX_RETURN_TO = 2_000;

export interface BegunSignIn {
  /** Identifies the sign-in at the provider: `state` in OpenID Connect, `RelayState` in SAML. */
  readonly state: string;
  /** A secret of this sign-in. It can be computed again only with the browser's cookie. Use it with {@link derived}. */
  readonly secret: string;
}

export interface TakenSignIn {
  readonly secret: string;
  readonly requestId: string | null;
  readonly returnTo: string | null;
}

/**
 * Binds a sign-in to the browser that started it, and redirects the browser afterwards. A cookie contains a random
 * secret, and the database its hash, so that a stolen callback URL is useless in another browser.
 */
@Injectable()
export class SsoBrowser {
  private readonly logger = new Logger('sso');
  private readonly isSecure: boolean;
  /** The console paths to open after a sign-in, by running request. */
  private readonly returnTos = new WeakMap<Request, string>();

  constructor(
    private readonly starts: SsoStartsRepository,
    private readonly session: SessionCookie,
    private readonly refusals: SsoRefusalsRepository,
    @Inject(CONFIG) config: Config,
  ) {
    this.isSecure = config.http.publicAppUrl.startsWith('https:');
  }

  /**
   * Remembers the path to open after the sign-in or the refusal of the request. A path outside of the console is
   * ignored.
   */
  keepReturnTo(returnTo: string | undefined, request: Request): void {
    if (returnTo !== undefined && isReturnTo(returnTo)) this.returnTos.set(request, returnTo);
  }

  /**
   * Stores the start of a sign-in and sets the cookie of the browser.
   * @param requestId the id of the SAML request. Null for OpenID Connect
   */
  async begin(provider: string, requestId: string | null, request: Request, response: Response): Promise<BegunSignIn> {
    const browser = this.cookieIn(request) ?? randomToken();
    const state = randomToken();
    await this.starts.insert({
      stateHash: sha256(state),
      browserHash: sha256(browser),
      provider,
      requestId,
      returnTo: this.returnTos.get(request) ?? null,
      lifeSeconds: START_LIFE_SECONDS,
    });
    response.cookie(COOKIE, browser, {
      path: COOKIE_PATH,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
      maxAge: START_LIFE_SECONDS * 1000,
    });
    return { state, secret: derived(browser, state) };
  }

  /** Returns whether the request has the cookie. Browsers do not send it with a form that another site submits. */
  hasCookie(request: Request): boolean {
    return this.cookieIn(request) !== undefined;
  }

  /**
   * Ends the start of a sign-in when the browser returns from the provider. A start can be used only once.
   * @throws SsoFault when the start is unknown, used or expired, or belongs to another provider or browser
   */
  async take(provider: string, state: string | undefined, request: Request): Promise<TakenSignIn> {
    const browser = this.cookieIn(request);
    if (state === undefined || !TOKEN.test(state)) throw new SsoFault('sso_expired', 'the callback names no sign-in');
    if (browser === undefined) throw new SsoFault('sso_expired', 'the browser has no cookie of a sign-in');
    const start = await this.starts.take(sha256(state));
    const isOwn = start !== null && constantTimeEqual(start.browserHash, sha256(browser));
    if (isOwn && start.returnTo !== null) this.returnTos.set(request, start.returnTo);
    if (start === null || !start.isAlive) throw new SsoFault('sso_expired', 'the sign-in is unknown, used or expired');
    if (start.provider !== provider) throw new SsoFault('sso_failed', 'the sign-in began with another provider');
    if (!isOwn) {
      throw new SsoFault('sso_failed', 'the sign-in began in another browser');
    }
    return { secret: derived(browser, state), requestId: start.requestId, returnTo: start.returnTo };
  }

  /** Signs the browser in and redirects it to the console, or to the challenge of the second factor. */
  finish(result: SsoSignedIn, returnTo: string | null, response: Response): void {
    if ('challenge' in result) this.challenge(result.challenge, returnTo, response);
    else {
      this.session.set(response, result.tokens);
      this.redirect(returnTo ?? CONSOLE, response);
    }
  }

  /**
   * Records a refused sign-in and redirects the browser to the sign-in page, with the error code and the page that the
   * person wanted to open.
   * @throws the given error when it is not an {@link SsoFault}
   */
  async refuse(error: unknown, provider: string, request: Request, response: Response): Promise<void> {
    if (!(error instanceof SsoFault)) throw error;
    this.logger.warn(`sign-in by ${provider} refused: ${error.message}`);
    // Unknown names share one record, because anybody can invent more of them.
    const name = error.code === 'sso_unknown_provider' ? 'unknown' : provider;
    await this.refusals.record(name, error.message, clientOf(request));
    const search = new URLSearchParams({ error: error.code, ...nextOf(this.returnTos.get(request) ?? null) });
    this.redirect(`${CONSOLE}/login?${search.toString()}`, response);
  }

  /**
   * Redirects with the token in the fragment, which browsers do not send to servers, so that the token is not logged.
   */
  private challenge(challenge: MfaChallengeResponse, returnTo: string | null, response: Response): void {
    const fragment = new URLSearchParams({
      challenge_token: challenge.challenge_token,
      expires_in: String(challenge.challenge_expires_in),
      methods: challenge.methods.join(','),
      ...nextOf(returnTo),
    });
    this.redirect(`${CONSOLE}/login#${fragment.toString()}`, response);
  }

  private redirect(address: string, response: Response): void {
    response.set('Cache-Control', 'no-store').status(303).location(address).end();
  }

  private cookieIn(request: Request): string | undefined {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return pairs.find(([name, value = '']) => name === COOKIE && TOKEN.test(value))?.[1];
  }
}

/** Derives a value for one purpose, such as a nonce, from the secret of a sign-in. It has 43 base64url characters. */
export function derived(secret: string, use: string): string {
  return createHmac('sha256', secret).update(use).digest('base64url');
}

/** Returns the query parameter of the sign-in page for the path to open later. */
function nextOf(returnTo: string | null): { next?: string } {
  return returnTo === null ? {} : { next: returnTo.slice(CONSOLE.length).replace(/^\/?/, '/') };
}

function isReturnTo(address: string): boolean {
  if (address.length > MAX_RETURN_TO || !RETURN_TO.test(address) || address.includes('//')) return false;
  // Browsers resolve `..` and its escaped forms.
  const { pathname } = new URL(address, 'http://console');
  return pathname === CONSOLE || pathname.startsWith(`${CONSOLE}/`);
}
