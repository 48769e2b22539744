import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { SIGNED_PATH } from './signed-paths.js';

const READABLE = 'ETag, Content-Length, Content-Range, Accept-Ranges, Content-Disposition, X-Request-ID';
const SENDABLE =
  'Content-Type, Content-MD5, Content-Digest, Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, X-Request-ID';
const PREFLIGHT_SECONDS = '600';

/** Returns whether a page of any origin may use the path. */
export function isSigned(path: string): boolean {
  return SIGNED_PATH.test(path);
}

/** Allows pages of any origin to use signed URLs, without credentials, because anyone who has such a URL may use it. */
@Injectable()
export class SignedRoutesCors {
  /** Must run before the CORS middleware of `CORS_ORIGINS`, which skips these routes. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    if (!isSigned(request.path)) return next();
    // The header is also set when the request has no `Origin`: when a script requests an image that a page has
    // displayed, the response may come from the browser's cache.
    response.set('Access-Control-Allow-Origin', '*');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      response.set('Access-Control-Expose-Headers', READABLE);
      return next();
    }
    response.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
      'Access-Control-Allow-Headers': SENDABLE,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    response.status(204).end();
  };
}
