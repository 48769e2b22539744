import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import type { CheckedRequest } from '../../platform/http/inputs.js';
import { KeyAuthenticator } from '../api-keys/index.js';
import { RequestMeter } from './request-meter.js';

const BYPASSED = new Set(['/v1/stripe/webhook', '/health', '/docs', '/redoc', '/openapi.json']);

/** Meters a request when it carried a key that resolves and was answered below 400 (SERVICE 4.5). */
@Injectable()
export class MeteringMiddleware implements NestMiddleware {
  constructor(
    private readonly meter: RequestMeter,
    private readonly keys: KeyAuthenticator,
  ) {}

  use(request: CheckedRequest, response: Response, next: NextFunction): void {
    const key = request.headers['x-api-key'];
    // The path of a mounted middleware is relative; the original one is not.
    const path = request.originalUrl.split('?', 1)[0] ?? '';
    if (this.meter.enabled && typeof key === 'string' && !BYPASSED.has(path)) {
      response.once('finish', () => {
        if (response.statusCode < 400) void this.count(request, key);
      });
    }
    next();
  }

  private async count(request: CheckedRequest, key: string): Promise<void> {
    if (request.access?.kind === 'api-key') {
      this.meter.record(request.access);
      return;
    }
    // A key that a bearer route did not look at: metering must not fail anything, so a fault just counts nothing.
    const identity = await this.keys.identify(key).catch(() => null);
    if (identity !== null) this.meter.record(identity);
  }
}
