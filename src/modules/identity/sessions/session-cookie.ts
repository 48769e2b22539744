import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import type { TokenResponse } from './sessions.dto.js';

const NAME = 'console_session';
const PATH = '/console/session';
/** A refresh token has 43 characters. Longer text than this is no token. */
const TOKEN = /^[\w-]{20,200}$/;

/**
 * The cookie that keeps the refresh token of a person who is signed in to the console. No script can read it, and no
 * other site can make a browser send it.
 */
@Injectable()
export class SessionCookie {
  private readonly options: CookieOptions;

  constructor(@Inject(CONFIG) config: Config) {
    this.options = {
      path: PATH,
      httpOnly: true,
      sameSite: 'strict',
      secure: config.http.publicAppUrl.startsWith('https:'),
    };
  }

  static isToken(text: string): boolean {
    return TOKEN.test(text);
  }

  set(response: Response, tokens: TokenResponse): void {
    response.cookie(NAME, tokens.refresh_token, { ...this.options, maxAge: tokens.refresh_expires_in * 1000 });
  }

  clear(response: Response): void {
    response.clearCookie(NAME, this.options);
  }

  /** Returns the first cookie of this name that can be a token: other programs on the host may have set one, too. */
  tokenIn(request: Request): string | undefined {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return pairs.find(([name, value = '']) => name === NAME && TOKEN.test(value))?.[1];
  }
}
