import type { IncomingMessage } from 'node:http';

/** The parts of a request that can carry a credential. */
export type Credentialed = Pick<IncomingMessage, 'headers'> &
  Partial<Pick<IncomingMessage, 'headersDistinct'>> & { readonly requestId?: string };

/** Returns the token of `Authorization: Bearer …`, or null when there is no well-formed token. */
export function bearerTokenOf(request: Credentialed): string | null {
  const { headers } = request;
  // Node keeps the first of several headers, but a proxy in front of the service may have checked another one.
  if (headers.authorization !== undefined && (request.headersDistinct?.authorization?.length ?? 0) > 1) return null;
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Returns the key of `X-API-Key`, or null when there is none. */
export function apiKeyOf({ headers }: Credentialed): string | null {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}
