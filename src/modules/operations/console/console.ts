import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { ConsoleCallbacks } from './console-callbacks.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleHelp } from './console-help.js';
import { ConsoleSessions } from './console-sessions.js';

export const CONSOLE_PATH = '/console';

const SESSION = '/session';
/** Paths to which mails and API responses link. The console serves them when there is no separate front end. */
const LINKED = /^\/(?:login|verify-email|reset-password|confirm-email-change|billing|invites\/[\w-]{1,64})$/;
/** Route labels of the metrics. Without them, every address of the page would be a separate series. */
const ROUTES = {
  session: { path: `${CONSOLE_PATH}${SESSION}` },
  files: { path: `${CONSOLE_PATH}/*` },
  links: { path: '/*' },
} as const;

/**
 * The console: a web page that uses the API, to be mounted at {@link CONSOLE_PATH}. It is not part of the API. This
 * class serves the page and the help, and keeps the refresh token of the person who signed in on the page. The page
 * does everything else through the API, like any other client.
 */
@Injectable()
export class Console {
  constructor(
    private readonly files: ConsoleFiles,
    private readonly sessions: ConsoleSessions,
    private readonly callbacks: ConsoleCallbacks,
    private readonly help: ConsoleHelp,
  ) {}

  /** Passes requests that the console does not answer to the handler of unknown routes. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const { method, path } = request;
    const isSession = path === SESSION;
    const answer = isSession
      ? this.sessions.find(method)
      : (this.callbacks.find(method, path) ?? this.help.find(method, path) ?? this.files.find(method, path));
    if (answer === undefined) return next();
    nameRoute(request, isSession ? ROUTES.session : ROUTES.files);
    answer(request, response).catch(next);
  };

  /** Redirects the links of mails to the page. The tokens in the links are kept. */
  readonly forward = (request: Request, response: Response, next: NextFunction): void => {
    if (!LINKED.test(request.path) || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    nameRoute(request, ROUTES.links);
    response.status(302).location(`${CONSOLE_PATH}${request.url}`).end();
  };
}

function nameRoute(request: Request, route: { readonly path: string }): void {
  Object.defineProperty(request, 'route', { get: () => route, set: () => undefined });
}
