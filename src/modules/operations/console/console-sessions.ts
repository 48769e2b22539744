import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { DomainError, NotAuthenticated } from '../../../platform/http/domain-error.js';
import { clientOf, SessionsService, type TokenResponse } from '../../identity/sessions/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const COOKIE = 'console_session';
const PATH = '/console/session';
/** A refresh token is 43 characters; what is longer is none. */
const TOKEN = /^[\w-]{20,200}$/;

/**
 * Keeps the refresh token of whoever signed in on the page in a cookie that no script can read and no other site can make a
 * browser send, and gives the page access tokens for it.
 *
 * `PUT` takes over a sign-in: the refresh token that came with it (`Authorization: Bearer`) is exchanged at once, so that the
 * one the page has had in its hands opens nothing any more. `POST` gives the next access token, 204 where nobody is signed in. `DELETE`
 * signs out.
 */
@Injectable()
export class ConsoleSessions {
  private readonly cookie: CookieOptions;
  private readonly answers: Readonly<Record<string, Answer>>;

  constructor(
    private readonly sessions: SessionsService,
    @Inject(CONFIG) config: Config,
  ) {
    this.cookie = {
      path: PATH,
      httpOnly: true,
      sameSite: 'strict',
      secure: config.http.publicAppUrl.startsWith('https:'),
    };
    this.answers = {
      PUT: (request, response) => this.takeOver(request, response),
      POST: (request, response) => this.goOn(request, response),
      DELETE: (request, response) => this.end(request, response),
    };
  }

  find(method: string): Answer | undefined {
    return Object.hasOwn(this.answers, method) ? this.answers[method] : undefined;
  }

  /** @throws NotAuthenticated, InvalidRefreshToken, RefreshTokenReused */
  private async takeOver(request: Request, response: Response): Promise<void> {
    const [, token] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined || !TOKEN.test(token)) throw new NotAuthenticated();
    const client = clientOf(request);
    // A token holds for some seconds more once it has been used, but not once its successor has been: twice is for good.
    const { refresh_token: successor } = await this.sessions.refresh(token, client);
    this.give(response, await this.sessions.refresh(successor, client));
  }

  private async goOn(request: Request, response: Response): Promise<void> {
    const token = tokenIn(request);
    if (token === undefined) return void response.status(204).end();
    try {
      this.give(response, await this.sessions.refresh(token, clientOf(request)));
    } catch (error) {
      // The session has ended: the browser need not ask with this token again. What else fails may be tried again.
      if (!(error instanceof DomainError) || error.status !== 401) throw error;
      response.clearCookie(COOKIE, this.cookie).status(204).end();
    }
  }

  private async end(request: Request, response: Response): Promise<void> {
    const token = tokenIn(request);
    if (token !== undefined) await this.sessions.logout(token, clientOf(request));
    response.clearCookie(COOKIE, this.cookie).status(204).end();
  }

  private give(response: Response, tokens: TokenResponse): void {
    response.cookie(COOKIE, tokens.refresh_token, { ...this.cookie, maxAge: tokens.refresh_expires_in * 1000 });
    response.json({ access_token: tokens.access_token, access_expires_in: tokens.access_expires_in });
  }
}

/** Of several with the name, as other programs of the host may have set one, the first that can be a token. */
function tokenIn(request: Request): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name, value = '']) => name === COOKIE && TOKEN.test(value))?.[1];
}
