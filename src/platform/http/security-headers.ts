import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import { setStandingHeaders, defaultHeaders, type DefaultHeaders } from './default-headers.js';

/** JSON needs nothing. */
const FOR_API = headersOf({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
});

/** The two document readers need their own scripts and styles, from this origin alone. */
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

/** The page of the job queues finds its scripts by a base. */
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

/** Everything comes from this origin. Its page adds the nonce of its own answer for the styles that its components write. */
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

/** @returns the policy of one answer of the console's page */
export function consolePolicy(nonce: string): string {
  return Object.entries(consoleDirectives(nonce))
    .map(([name, values]) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${values.join(' ')}`)
    .join(';');
}

/** What people have stored may be anything: it runs nothing, wherever it is shown, and pages anywhere may embed it. */
const FOR_CONTENT = headersOf({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], sandbox: [] } },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** The same as lines of a head, for answers that are written past Node's HTTP. */
export const apiHeaderLines: readonly string[] = [
  ...FOR_API.headers.map(([name, value]) => `${name}: ${value}`),
  'Cache-Control: no-store',
];

const PAGE = /^\/(docs|redoc)(\/|$)/;
const CONTENT = /^\/v1\/core\/objects\/[^/]+\/content$/;
const CONSOLE = /^\/console(\/|$)/;
const BOARD = /^\/internal\/board(\/|$)/;

/** Sets what protects every answer. */
export function setSecurityHeaders(path: string, response: ServerResponse): void {
  if (PAGE.test(path)) {
    setStandingHeaders(response, FOR_PAGES);
    return;
  }
  // Its page has a policy of its own, so that these can be set anew; what may be kept says so itself.
  if (CONSOLE.test(path)) {
    for (const [name, value] of FOR_CONSOLE.headers) response.setHeader(name, value);
    response.setHeader('Cache-Control', 'no-store');
    return;
  }
  // An application of its own answers there, whose responses know nothing of standing headers.
  if (BOARD.test(path)) for (const [name, value] of FOR_BOARD.headers) response.setHeader(name, value);
  else setStandingHeaders(response, CONTENT.test(path) ? FOR_CONTENT : FOR_API);
  // Tokens, keys and tenants' data belong in no cache; what may be kept says so itself.
  response.setHeader('Cache-Control', 'no-store');
}

/** Helmet's headers do not depend on the request: they are asked for once, and its dozen middlewares never run again. */
function headersOf(options: HelmetOptions): DefaultHeaders {
  const headers: (readonly [string, string])[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return defaultHeaders(headers);
}
