import type { Response } from 'express';
import type { ErrorForm } from '../../../../../platform/http/error.filter.js';
import { isObject } from '../../../../../platform/http/validation/index.js';

export const SCIM_TYPE = 'application/scim+json';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
const MAX_ISSUES = 3;

export interface ScimAnswer {
  readonly status: number;
  readonly body: object;
  readonly etag?: string;
  readonly location?: string;
}

/** Sends an answer with the content type of SCIM. */
export function sendScim(response: Response, { status, body, etag, location }: ScimAnswer): void {
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (location !== undefined) response.setHeader('Location', location);
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader('Content-Type', SCIM_TYPE);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Sends an answer without a body. */
export function sendEmpty(response: Response, status: 204 | 304, etag?: string): void {
  if (etag !== undefined) response.setHeader('ETag', etag);
  response.statusCode = status;
  response.end();
}

/**
 * Writes every error below this path in the form of SCIM. Inputs that cannot be decoded are answered with 400, as the
 * protocol requires.
 */
export const SCIM_ERROR_FORM: ErrorForm = {
  prefix: '/scim/',
  write: (response, status, detail) => {
    const isOfInput = Array.isArray(detail);
    const shown = isOfInput && status === 422 ? 400 : status;
    const { sentence, scimType } = readDetail(detail);
    const body = {
      schemas: [ERROR_SCHEMA],
      status: String(shown),
      ...(scimType === undefined ? {} : { scimType }),
      detail: sentence,
    };
    sendScim(response, { status: shown, body });
  },
};

function readDetail(detail: unknown): { sentence: string; scimType?: unknown } {
  if (typeof detail === 'string') return { sentence: detail };
  if (Array.isArray(detail)) return { sentence: sentencesOf(detail), scimType: 'invalidValue' };
  if (isObject(detail) && typeof detail['sentence'] === 'string')
    return { sentence: detail['sentence'], scimType: detail['scimType'] };
  return { sentence: JSON.stringify(detail) };
}

function sentencesOf(issues: readonly unknown[]): string {
  return issues
    .slice(0, MAX_ISSUES)
    .map((issue) => (isObject(issue) ? `${[issue['loc']].flat().join('.')}: ${String(issue['msg'])}` : ''))
    .join('. ');
}
