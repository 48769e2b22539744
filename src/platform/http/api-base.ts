import type { Request } from 'express';

/**
 * Returns the base URL of the API, without a trailing slash: `PUBLIC_API_URL`, or the scheme and host of the request.
 * In production, `PUBLIC_API_URL` is always configured.
 */
export function apiBaseOf(publicApiUrl: string | undefined, request: Request): string {
  return publicApiUrl ?? `${request.secure ? 'https' : 'http'}://${request.headers.host ?? ''}`;
}
