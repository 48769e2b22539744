import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { apiKeyOf, isIntake } from '../../access/index.js';
import { admitsOrigin, KeyAuthenticator } from './key-authenticator.js';

/** The middleware applies to this route and to the routes of the intake. */
const PATH = '/v1/events/ingest';
const SENDABLE_HEADERS = 'Content-Type, Idempotency-Key, X-API-Key, X-Request-ID';
/**
 * Protocols of the intake have headers of their own, such as `ce-id`, so all headers are allowed. `Authorization` is
 * named because `*` does not include it.
 */
const SENDABLE_TO_INTAKE = 'Authorization, *';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets web pages send events with a browser-safe key. A preflight carries no key, so it is accepted from any origin,
 * without credentials. The response to the request itself is readable only for the origins of its key; the key refuses
 * other origins.
 */
@Injectable()
export class BrowserIngestionMiddleware {
  constructor(private readonly keys: KeyAuthenticator) {}

  /** Must run before the CORS middleware of `CORS_ORIGINS`, which would end every preflight. */
  middleware(exposedHeaders: readonly string[]): (request: Request, response: Response, next: NextFunction) => void {
    const exposed = exposedHeaders.join(', ');
    return (request, response, next) => {
      const { origin } = request.headers;
      if (origin === undefined || (request.path !== PATH && !isIntake(request))) return next();
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        response.set({
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Methods': 'POST',
          'Access-Control-Allow-Headers': isIntake(request) ? SENDABLE_TO_INTAKE : SENDABLE_HEADERS,
          'Access-Control-Max-Age': PREFLIGHT_SECONDS,
        });
        response.status(204).end();
        return;
      }
      if (apiKeyOf(request)?.startsWith('oesb_') !== true) return next();
      Promise.resolve(this.keys.identityOf(request)).then(
        (identity) => {
          if (identity !== null && admitsOrigin(identity, origin)) {
            response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed });
            response.vary('Origin');
          }
          next();
        },
        () => next(),
      );
    };
  }
}
