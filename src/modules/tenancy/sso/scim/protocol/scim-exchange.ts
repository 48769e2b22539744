import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../../../../config/index.js';
import { apiBaseOf } from '../../../../../platform/http/api-base.js';
import { parseJsonBody } from '../../../../../platform/http/validation/index.js';
import type { CheckedRequest } from '../../../../../platform/http/inputs.js';
import { sendEmpty, sendScim } from './scim-answer.js';
import { invalidSyntax } from './scim-fault.js';
import { type Conditions, namesVersion } from './version-tag.js';

/** Reads SCIM requests and sends SCIM answers. */
@Injectable()
export class ScimExchange {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Returns the base URL of the SCIM routes, without a trailing slash. */
  baseOf(request: CheckedRequest): string {
    return `${apiBaseOf(this.config.http.publicApiUrl, request)}/scim/v2`;
  }

  /** @throws ScimFault when the bytes are not JSON */
  jsonOf(bytes: Buffer): unknown {
    const parsed = parseJsonBody(bytes);
    if ('issues' in parsed) throw invalidSyntax('The body is not valid JSON');
    return parsed.value;
  }

  conditionsOf({ headers }: CheckedRequest): Conditions {
    return { ifMatch: headers['if-match'] ?? null, ifNoneMatch: headers['if-none-match'] ?? null };
  }

  /** Sends a resource, or 304 when the client already has this version. */
  sendRead(response: Response, request: CheckedRequest, body: object, etag: string): void {
    if (namesVersion(this.conditionsOf(request).ifNoneMatch, etag)) sendEmpty(response, 304, etag);
    else sendScim(response, { status: 200, body, etag });
  }
}
