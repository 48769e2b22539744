import type { ErrorForm } from '../../../platform/http/error.filter.js';
import { isObject } from '../../../platform/http/validation/index.js';
import { sendStatus } from './otlp-answer.js';

const MAX_ISSUES = 3;

/**
 * Every error below this path is a `google.rpc.Status`. Invalid input gets the status 400, as the protocol requires.
 */
export const OTLP_ERROR_FORM: ErrorForm = {
  prefix: '/intake/otlp/',
  write: (response, status, detail) => {
    const isOfInput = Array.isArray(detail);
    sendStatus(response, isOfInput && status === 422 ? 400 : status, messageOf(detail));
  },
};

function messageOf(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return JSON.stringify(detail);
  return detail
    .slice(0, MAX_ISSUES)
    .map((issue: unknown) => (isObject(issue) ? `${[issue['loc']].flat().join('.')}: ${String(issue['msg'])}` : ''))
    .join('. ');
}
