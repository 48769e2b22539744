import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import { setStandingHeaders, defaultHeaders, type DefaultHeaders } from './default-headers.js';

/** JSON answers load no resources. */
const FOR_API = headersOf({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
});

/** The two pages with the API documentation need their own scripts and styles, which come only from this origin. */
const FOR_PAGES = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      styleSrc: ["'self'", "'unsafe-inline'"],
      workerSrc: ["'self'", 'blob:'],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
    },
  },
});

/** The page of the job queues sets a base address for its scripts. */
const FOR_BOARD = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
    },
  },
});

/**
 * The console loads everything from this origin. The header of its page also has a nonce for the styles that its
 * components insert.
 */
const FOR_CONSOLE = headersOf({
  contentSecurityPolicy: { useDefaults: false, directives: consoleDirectives() },
  referrerPolicy: { policy: 'no-referrer' },
});

function consoleDirectives(nonce?: string): Record<string, string[]> {
  return {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", ...(nonce === undefined ? [] : [`'nonce-${nonce}'`])],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  };
}

/** @returns the Content-Security-Policy of one answer with the console's page */
export function consolePolicy(nonce: string): string {
  return Object.entries(consoleDirectives(nonce))
    .map(([name, values]) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${values.join(' ')}`)
    .join(';');
}

/**
 * Stored objects may contain anything, so browsers must not run scripts in them. Pages of other origins may embed
 * objects.
 */
const FOR_CONTENT = headersOf({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], sandbox: [] } },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** The API's headers as lines of a head, for answers that are written without Node's HTTP classes. */
export const apiHeaderLines: readonly string[] = [
  ...FOR_API.headers.map(([name, value]) => `${name}: ${value}`),
  'Cache-Control: no-store',
];

const PAGE = /^\/(docs|redoc)(\/|$)/;
const CONTENT = /^\/v1\/core\/objects\/[^/]+\/content$/;
const CONSOLE = /^\/console(\/|$)/;
const SIGN_IN_FORM = /^\/sso\/saml\/[^/]+\/acs$/;
const BOARD = /^\/internal\/board(\/|$)/;

/** Sets the security headers of an answer. */
export function setSecurityHeaders(path: string, response: ServerResponse): void {
  if (PAGE.test(path)) {
    setStandingHeaders(response, FOR_PAGES);
    return;
  }
  // The console's page replaces these headers with its own policy. Responses that may be cached set their own
  // Cache-Control.
  if (CONSOLE.test(path)) {
    for (const [name, value] of FOR_CONSOLE.headers) response.setHeader(name, value);
    response.setHeader('Cache-Control', 'no-store');
    return;
  }
  // A separate application serves the board, and its responses do not support default headers as text.
  if (BOARD.test(path)) for (const [name, value] of FOR_BOARD.headers) response.setHeader(name, value);
  // The page that submits a form again replaces this policy with its own.
  else if (SIGN_IN_FORM.test(path)) for (const [name, value] of FOR_API.headers) response.setHeader(name, value);
  else setStandingHeaders(response, CONTENT.test(path) ? FOR_CONTENT : FOR_API);
  // Tokens, keys and tenants' data must not be cached. Responses that may be cached set their own Cache-Control.
  response.setHeader('Cache-Control', 'no-store');
}

/** Returns the headers that helmet sets. They do not depend on the request, so helmet runs only once. */
function headersOf(options: HelmetOptions): DefaultHeaders {
  const headers: (readonly [string, string])[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return defaultHeaders(headers);
}
