import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { SIGNED_PATH } from './signed-paths.js';

const READABLE = 'ETag, Content-Length, Content-Range, Accept-Ranges, Content-Disposition, X-Request-ID';
const SENDABLE =
  'Content-Type, Content-MD5, Content-Digest, Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, X-Request-ID';
const PREFLIGHT_SECONDS = '600';

/** Whether a page of any origin may use the address. */
export function isSigned(path: string): boolean {
  return SIGNED_PATH.test(path);
}

/** Signed addresses are for whoever has them, so pages of any origin may use them, without credentials. */
@Injectable()
export class SignedRoutesCors {
  /** Goes before the CORS of `CORS_ORIGINS`, which leaves these routes alone. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    if (!isSigned(request.path)) return next();
    // Also where no origin is told: what a page was shown as an image is in its cache when a script asks for it.
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
