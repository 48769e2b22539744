import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type AccessScope, apiKeyOf } from '../../access/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { KeyAuthenticator } from '../../entitlement/api-keys/index.js';
import { SourceHookAuthenticator } from '../../entitlement/sources/index.js';
import { RequestMeter } from './request-meter.js';

const BYPASSED = new Set(['/v1/stripe/webhook', '/health', '/docs', '/redoc', '/openapi.json', '/openapi.client.json']);

/**
 * Meters a request with a known API key, or to the address of a webhook, whose status is below 400. A repeat that gets
 * the answer of an earlier request is not metered again.
 */
@Injectable()
export class UsageMetering {
  constructor(
    private readonly meter: RequestMeter,
    private readonly keys: KeyAuthenticator,
    private readonly hooks: SourceHookAuthenticator,
  ) {}

  /** Must be called when the request arrives. */
  watch(request: CheckedRequest<AccessScope>, response: Response): void {
    if (!this.meter.enabled || BYPASSED.has(request.path)) return;
    if (apiKeyOf(request) === null && !this.hooks.isHook(request)) return;
    response.on('finish', () => {
      if (response.statusCode < 400 && request.isRepeat !== true) this.count(request);
    });
  }

  private count(request: CheckedRequest<AccessScope>): void {
    if (request.access?.kind === 'api-key') {
      this.meter.record(request.access);
      return;
    }
    if (request.access?.kind === 'hook') {
      this.meter.record({ projectId: request.access.projectId, apiKeyId: null });
      return;
    }
    // A route with bearer authentication did not check this key. An error only leaves the request uncounted, because
    // metering must not make a request fail.
    void Promise.resolve(this.keys.identityOf(request)).then(
      (identity) => identity !== null && this.meter.record(identity),
      () => undefined,
    );
  }
}
