import type { IncomingMessage } from 'node:http';

/** What carries a credential; the parts of a request that say whose it is. */
export type Credentialed = Pick<IncomingMessage, 'headers'>;

/** The token of `Authorization: Bearer …`; null when there is none, or none that is spelled like one. */
export function bearerTokenOf({ headers }: Credentialed): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The key of `X-API-Key`; null when there is none. */
export function apiKeyOf({ headers }: Credentialed): string | null {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}
