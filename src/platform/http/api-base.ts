import type { Request } from 'express';

/**
 * Returns the address of the API, without a slash at the end: `PUBLIC_API_URL`, or the one that the request names.
 * Production always configures `PUBLIC_API_URL`.
 */
export function apiBaseOf(publicApiUrl: string | undefined, request: Request): string {
  return publicApiUrl ?? `${request.secure ? 'https' : 'http'}://${request.headers.host ?? ''}`;
}
