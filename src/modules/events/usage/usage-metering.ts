import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type AccessScope, apiKeyOf } from '../../access/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { KeyAuthenticator } from '../../entitlement/api-keys/index.js';
import { SourceHookAuthenticator } from '../../entitlement/sources/index.js';
import { RequestMeter } from './request-meter.js';

const BYPASSED = new Set(['/v1/stripe/webhook', '/health', '/docs', '/redoc', '/openapi.json', '/openapi.client.json']);

/**
 * Meters a request that carried a known API key, or was sent to the address of a webhook, and was answered with a status below 400, unless it is a repeat that is
 * metered once.
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
    // A bearer route did not check this key. Metering must not fail a request, so an error only leaves the request
    // uncounted.
    void Promise.resolve(this.keys.identityOf(request)).then(
      (identity) => identity !== null && this.meter.record(identity),
      () => undefined,
    );
  }
}
