import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { DomainError, NotAuthenticated } from '../../../platform/http/domain-error.js';
import { clientOf, SessionsService, type TokenResponse } from '../../identity/sessions/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const COOKIE = 'console_session';
const PATH = '/console/session';
/** A refresh token has 43 characters. Longer text than this is no token. */
const TOKEN = /^[\w-]{20,200}$/;

/**
 * Keeps the refresh token of the person who signed in on the page in a cookie. No script can read this cookie, and no
 * other site can make a browser send it. Gives the page access tokens.
 *
 * `PUT` takes over a sign-in. It exchanges the refresh token of the sign-in (`Authorization: Bearer`) at once, so that
 * the token that the page had opens nothing any more. `POST` returns the next access token, or 204 when nobody is
 * signed in. `DELETE` signs out.
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
    // A used token is still accepted for some seconds, but not once its successor has been used. Refreshing twice
    // invalidates the page's token for good.
    const { refresh_token: successor } = await this.sessions.refresh(token, client);
    this.give(response, await this.sessions.refresh(successor, client));
  }

  private async goOn(request: Request, response: Response): Promise<void> {
    const token = tokenIn(request);
    if (token === undefined) return void response.status(204).end();
    try {
      this.give(response, await this.sessions.refresh(token, clientOf(request)));
    } catch (error) {
      // The session has ended, so the browser need not send this token again. Other failures may be temporary.
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

/** Returns the first cookie of this name that can be a token: other programs on the host may have set one, too. */
function tokenIn(request: Request): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name, value = '']) => name === COOKIE && TOKEN.test(value))?.[1];
}
