import type { IncomingMessage } from 'node:http';

/** What carries a credential; the parts of a request that say whose it is. */
export type Credentialed = Pick<IncomingMessage, 'headers'> &
  Partial<Pick<IncomingMessage, 'headersDistinct'>> & { readonly requestId?: string };

/** The token of `Authorization: Bearer …`; null when there is none, or none that is spelled like one. */
export function bearerTokenOf(request: Credentialed): string | null {
  const { headers } = request;
  // Of several Node keeps the first, where something before us may have looked at another.
  if (headers.authorization !== undefined && (request.headersDistinct?.authorization?.length ?? 0) > 1) return null;
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The key of `X-API-Key`; null when there is none. */
export function apiKeyOf({ headers }: Credentialed): string | null {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}
