import type { OutboundFailureReason, OutboundOutcome } from '../../../platform/outbound-http/index.js';
import { sanitizeText } from '../../../platform/sanitize/index.js';
import { retryAfterSeconds } from './retry-policy.js';
import { type RequestToRecord, type SentRequest, sentRequestOf } from './sent-request.js';

/** The outcome of one send. All its texts are sanitized and may be stored and shown. */
export interface TryOutcome {
  /**
   * `sent`: the receiver accepted the message. `transient`: a later send may succeed. `permanent`: no later send will.
   * `refused`: nothing was sent, and nothing will be until somebody repairs the configuration. `unavailable`: nothing
   * was sent for a reason on our side, so the send does not count.
   */
  readonly kind: 'sent' | 'transient' | 'permanent' | 'refused' | 'unavailable';
  /** The failure as one word (`timeout`, `http_503`, `channel_disabled`); null when sent. */
  readonly code: string | null;
  /** The failure as a sentence that begins with the code; null when sent. */
  readonly reason: string | null;
  readonly responseCode: number | null;
  /** The beginning of the body of the answer; null when there was none. */
  readonly summary: string | null;
  /** The wait that the receiver requested; null when it requested none, or when `Retry-After` does not count. */
  readonly retryAfterSeconds: number | null;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly response: Readonly<Record<string, unknown>> | null;
  /** The HTTP request of the send. Absent when there was none, or when the service refused to send it. */
  readonly sentRequest?: SentRequest;
  /** Recipients that have accepted the message, in this send or an earlier one. Absent for single recipients. */
  readonly deliveredTo?: readonly string[];
}

const NOTHING = { responseCode: null, summary: null, retryAfterSeconds: null, request: null, response: null };

/** Returns a failure outcome. `code` and `message` must be safe to show: they are not sanitized here. */
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

/** The failures of requests that the service refused to send. */
const NO_REQUEST: ReadonlySet<OutboundFailureReason | null> = new Set(['unsafe_destination', 'invalid_request']);

/** The longest content type that is stored, in characters. */
const MOST_OF_CONTENT_TYPE = 200;

interface HttpRules {
  /** Returns whether a send that got this status may succeed later. Not called for 2xx. */
  readonly isRetryable: (status: number) => boolean;
  /** Returns whether the `Retry-After` of an answer with this status counts. */
  readonly hearsRetryAfter: (status: number) => boolean;
  /** Secrets of this destination, masked in the request and in everything that the receiver returns. */
  readonly secrets: readonly string[];
  readonly request: Readonly<Record<string, unknown>>;
  readonly sent: RequestToRecord;
}

/** Returns the outcome of one HTTP request. `now` is our time, used when the answer has no `Date`. */
export function outcomeOfHttp(outcome: OutboundOutcome, rules: HttpRules, now: Date): TryOutcome {
  const { request, secrets } = rules;
  const sent = NO_REQUEST.has(outcome.kind === 'failure' ? outcome.reason : null)
    ? {}
    : { sentRequest: sentRequestOf(rules.sent, secrets) };
  if (outcome.kind === 'failure') {
    const kind = TRANSIENT_FAILURES.has(outcome.reason) ? 'transient' : 'permanent';
    const response = { duration_ms: outcome.durationMs };
    return failedTry(kind, outcome.reason, sanitizeText(outcome.message, secrets), { request, response, ...sent });
  }
  const { status, headers, body, durationMs } = outcome;
  const clean = (text: string): string | null => sanitizeText(text, secrets) || null;
  // Masking comes before the cut: half of a secret would not be recognised.
  const contentType = clean(headers['content-type'] ?? '')?.slice(0, MOST_OF_CONTENT_TYPE) ?? null;
  const told = {
    responseCode: status,
    summary: clean(body),
    request,
    response: { duration_ms: durationMs, content_type: contentType },
    ...sent,
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

/** The statuses that redirect. Other 3xx answers, such as 304, have no target. */
const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

function sentenceOf(status: number): string {
  if (status === 410) return 'The receiver is gone for good: consider disabling this destination';
  if (REDIRECTS.has(status)) return 'Redirects are not followed';
  return `The receiver answered ${status}`;
}
