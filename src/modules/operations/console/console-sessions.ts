import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError, NotAuthenticated } from '../../../platform/http/domain-error.js';
import { OidcLogoutService } from '../../tenancy/sso/index.js';
import { clientOf, SessionCookie, SessionsService, type TokenResponse } from '../../identity/sessions/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

/**
 * Keeps the refresh token of the person who signed in on the page in a cookie, and gives access tokens to the page. No
 * script can read this cookie, and no other site can make a browser send it.
 *
 * `PUT` takes over a sign-in. It exchanges the refresh token of the sign-in (`Authorization: Bearer`) at once, so that
 * the token that the page had is no longer valid. `POST` returns the next access token, or 204 when nobody is signed
 * in. `DELETE` signs out. If the session came from a provider with its own logout, `DELETE` returns the address of that
 * logout as `continue_at`.
 */
@Injectable()
export class ConsoleSessions {
  private readonly answers: Readonly<Record<string, Answer>>;

  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly oidc: OidcLogoutService,
  ) {
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
    if (token === undefined || !SessionCookie.isToken(token)) throw new NotAuthenticated();
    const client = clientOf(request);
    // A used token is still accepted for some seconds, but not once its successor has been used. Refreshing twice
    // invalidates the page's token for good.
    const { refresh_token: successor } = await this.sessions.refresh(token, client);
    this.give(response, await this.sessions.refresh(successor, client));
  }

  private async goOn(request: Request, response: Response): Promise<void> {
    const token = this.cookie.tokenIn(request);
    if (token === undefined) return void response.status(204).end();
    try {
      this.give(response, await this.sessions.refresh(token, clientOf(request)));
    } catch (error) {
      // The session has ended, so the browser need not send this token again. Other failures may be temporary.
      if (!(error instanceof DomainError) || error.status !== 401) throw error;
      this.cookie.clear(response);
      response.status(204).end();
    }
  }

  private async end(request: Request, response: Response): Promise<void> {
    const token = this.cookie.tokenIn(request);
    if (token !== undefined) await this.sessions.logout(token, clientOf(request));
    // This service has already ended the session, so a failure of the provider does not keep it open.
    const next = token === undefined ? null : await this.oidc.endSessionUrl(token, request);
    this.cookie.clear(response);
    if (next === null) response.status(204).end();
    else response.json({ continue_at: next });
  }

  private give(response: Response, tokens: TokenResponse): void {
    this.cookie.set(response, tokens);
    response.json({ access_token: tokens.access_token, access_expires_in: tokens.access_expires_in });
  }
}
