import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

type Header = readonly [name: string, value: string];

/** JSON needs nothing. Tokens, keys and tenants' data belong in no cache; what may be kept says so itself. */
const FOR_API: readonly Header[] = [
  ['Cache-Control', 'no-store'],
  ...headersOf({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  }),
];

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

const PAGE = /^\/(docs|redoc)(\/|$)/;

/** Sets what protects every answer. */
export function setSecurityHeaders(path: string, response: ServerResponse): void {
  for (const [name, value] of PAGE.test(path) ? FOR_PAGES : FOR_API) response.setHeader(name, value);
}

/** Helmet's headers do not depend on the request: they are asked for once, and its dozen middlewares never run again. */
function headersOf(options: HelmetOptions): Header[] {
  const headers: Header[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader: () => undefined,
  };
  let isDone = false;
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, () => (isDone = true));
  if (!isDone) throw new Error('the security headers are no longer made at once');
  return headers;
}
