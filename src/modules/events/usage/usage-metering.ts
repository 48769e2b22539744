import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type AccessScope, apiKeyOf } from '../../access/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { KeyAuthenticator } from '../../entitlement/api-keys/index.js';
import { RequestMeter } from './request-meter.js';

const BYPASSED = new Set(['/v1/stripe/webhook', '/health', '/docs', '/redoc', '/openapi.json', '/openapi.client.json']);

/** Meters a request when it carried a key that resolves and was answered below 400 (SERVICE 4.5). */
@Injectable()
export class UsageMetering {
  constructor(
    private readonly meter: RequestMeter,
    private readonly keys: KeyAuthenticator,
  ) {}

  /** To be called when the request arrives. */
  watch(request: CheckedRequest<AccessScope>, response: Response): void {
    if (!this.meter.enabled || apiKeyOf(request) === null || BYPASSED.has(request.path)) return;
    response.on('finish', () => {
      if (response.statusCode < 400) this.count(request);
    });
  }

  private count(request: CheckedRequest<AccessScope>): void {
    if (request.access?.kind === 'api-key') {
      this.meter.record(request.access);
      return;
    }
    // A key that a bearer route did not look at: metering must not fail anything, so a fault just counts nothing.
    void Promise.resolve(this.keys.identityOf(request)).then(
      (identity) => identity !== null && this.meter.record(identity),
      () => undefined,
    );
  }
}
