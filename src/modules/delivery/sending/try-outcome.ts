import type { OutboundFailureReason, OutboundOutcome } from '../../../platform/outbound-http/index.js';
import { sanitizeText } from '../../../platform/sanitize/index.js';
import { retryAfterSeconds } from './retry-policy.js';

/** Everything here is sanitized: it may be stored and shown. */
export interface TryOutcome {
  /**
   * `sent`: taken by the receiver. `transient`: may go through later. `permanent`: will not. `refused`: not even tried,
   * and will not be until somebody repairs something. `unavailable`: not tried for a reason of our own, so it does not
   * count.
   */
  readonly kind: 'sent' | 'transient' | 'permanent' | 'refused' | 'unavailable';
  /** What went wrong as one word (`timeout`, `http_503`, `channel_disabled`); null when sent. */
  readonly code: string | null;
  /** The same as a sentence, beginning with the code; null when sent. */
  readonly reason: string | null;
  readonly responseCode: number | null;
  /** Beginning of the answer's body; null when there was none. */
  readonly summary: string | null;
  /** What the receiver asked to wait; null when it did not, or is not to be heard. */
  readonly retryAfterSeconds: number | null;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly response: Readonly<Record<string, unknown>> | null;
  /** Recipients that have taken it by now, in this try or an earlier one; absent where a destination is one. */
  readonly deliveredTo?: readonly string[];
}

const NOTHING = { responseCode: null, summary: null, retryAfterSeconds: null, request: null, response: null };

/** A failure that no answer of the receiver tells about. `code` and `message` are our own words. */
export function failedTry(
  kind: Exclude<TryOutcome['kind'], 'sent'>,
  code: string,
  message?: string,
  more: Partial<TryOutcome> = {},
): TryOutcome {
  return { ...NOTHING, ...more, kind, code, reason: message === undefined ? code : `${code}: ${message}` };
}

const TRANSIENT_FAILURES: ReadonlySet<OutboundFailureReason> = new Set([
  'timeout',
  'unknown_host',
  'dns_temporary',
  'connection_refused',
  'connection_reset',
  'connection_failed',
  'tls_handshake',
  'protocol_error',
]);

/** Characters. */
const MOST_OF_CONTENT_TYPE = 200;

interface HttpRules {
  /** Answers worth another try; 2xx never gets here. */
  readonly isRetryable: (status: number) => boolean;
  /** Answers whose `Retry-After` counts. */
  readonly hearsRetryAfter: (status: number) => boolean;
  /** Secrets of this very destination, masked in whatever comes back. */
  readonly secrets: readonly string[];
  readonly request: Readonly<Record<string, unknown>>;
}

/** What one HTTP try came to. `now` is ours, used when the answer has no `Date`. */
export function outcomeOfHttp(outcome: OutboundOutcome, rules: HttpRules, now: Date): TryOutcome {
  const { request, secrets } = rules;
  if (outcome.kind === 'failure') {
    const kind = TRANSIENT_FAILURES.has(outcome.reason) ? 'transient' : 'permanent';
    const response = { duration_ms: outcome.durationMs };
    return failedTry(kind, outcome.reason, sanitizeText(outcome.message, secrets), { request, response });
  }
  const { status, headers, body, durationMs } = outcome;
  const clean = (text: string): string | null => sanitizeText(text, secrets) || null;
  // Cut last: half of a secret would not be known for one.
  const contentType = clean(headers['content-type'] ?? '')?.slice(0, MOST_OF_CONTENT_TYPE) ?? null;
  const told = {
    responseCode: status,
    summary: clean(body),
    request,
    response: { duration_ms: durationMs, content_type: contentType },
  };
  if (status >= 200 && status < 300) {
    return { ...told, kind: 'sent', code: null, reason: null, retryAfterSeconds: null };
  }
  const kind = rules.isRetryable(status) ? 'transient' : 'permanent';
  const wait = rules.hearsRetryAfter(status) ? retryAfterSeconds(outcome.retryAfter, dateOf(headers, now)) : null;
  return failedTry(kind, `http_${status}`, sentenceOf(status), { ...told, retryAfterSeconds: wait });
}

function dateOf(headers: Readonly<Record<string, string>>, now: Date): Date {
  const at = Date.parse(headers.date ?? '');
  return Number.isNaN(at) ? now : new Date(at);
}

/** Other answers of 3xx, as 304, lead nowhere. */
const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

function sentenceOf(status: number): string {
  if (status === 410) return 'The receiver is gone for good: consider disabling this destination';
  if (REDIRECTS.has(status)) return 'Redirects are not followed';
  return `The receiver answered ${status}`;
}
