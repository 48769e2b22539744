import type { IncomingMessage } from 'node:http';

/** The parts of a request that can carry a credential. */
export type Credentialed = Pick<IncomingMessage, 'headers'> &
  Partial<Pick<IncomingMessage, 'headersDistinct' | 'url'>> & {
    readonly requestId?: string;
    readonly originalUrl?: string;
  };

/** Routes below this path receive events in other protocols, whose senders pass the API key in their own way. */
const INTAKE = '/intake/';

/** Returns the token of `Authorization: Bearer …`, or null when there is no well-formed token. */
export function bearerTokenOf(request: Credentialed): string | null {
  const { headers } = request;
  // A repeated header is refused. Node keeps the first one, but a proxy in front of the service may have checked
  // another.
  if (headers.authorization !== undefined && (request.headersDistinct?.authorization?.length ?? 0) > 1) return null;
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Returns the key of `X-API-Key`, or null when there is none. Below `/intake/` the key may also be the bearer token or
 * the user name of `Authorization`.
 */
export function apiKeyOf(request: Credentialed): string | null {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return isIntake(request) ? authorizedKeyOf(request) : null;
}

/** Returns whether the request is sent to a route of the intake. */
export function isIntake({ originalUrl, url }: Credentialed): boolean {
  return (originalUrl ?? url)?.startsWith(INTAKE) === true;
}

/** Returns the bearer token or the user name of `Authorization`, where it has the prefix of an API key. */
function authorizedKeyOf(request: Credentialed): string | null {
  const { authorization } = request.headers;
  const basic = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? '')?.[1];
  const user = basic === undefined ? null : Buffer.from(basic, 'base64').toString('utf8').replace(/:.*$/s, '');
  const key = bearerTokenOf(request) ?? user;
  return key !== null && /^oesb?_/.test(key) ? key : null;
}
