import { createSecureContext, type SecureContext } from 'node:tls';
import { parseDestination } from './destination.js';
import type { DestinationSafety } from './destination-safety.js';
import { exchange } from './exchange.js';
import { currentContext, startSpan, type Traceparent } from '../telemetry/index.js';
import { failure, type OutboundOutcome, type OutboundResult, timeout } from './outcome.js';

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /**
   * Headers of the connection (`Host`, `Connection`, `Content-Length`, `Transfer-Encoding`, `Accept-Encoding` …) are
   * ignored, because {@link OutboundHttp} sets them itself.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a GET. */
  readonly body: Buffer;
  /** The bytes of the answer's body that are read. The rest is ignored. The default is 8 KiB. */
  readonly maxAnswerBytes?: number;
  /**
   * Time limit for the whole exchange in milliseconds: lookup, connecting, TLS, sending, and the headers and body of
   * the answer.
   */
  readonly deadlineMs: number;
  /**
   * Whether a URL with a query parameter that is named like a credential is refused. Delivery channels set this. The
   * default is false.
   */
  readonly refuseCredentialQuery?: boolean;
  /**
   * The party for which the request is sent, such as a project. Lookups of one party do not delay lookups of another.
   * The default is the domain of the host.
   */
  readonly share?: string;
}

export interface OutboundHttpOptions {
  /** PEM certificates that are trusted instead of the built-in ones. */
  readonly authorities?: readonly string[];
}

/**
 * The only HTTP client for user-given URLs. {@link DestinationSafety} vets every address before a connection is opened.
 */
export class OutboundHttp {
  private readonly tls: SecureContext;

  constructor(
    private readonly safety: DestinationSafety,
    { authorities }: OutboundHttpOptions = {},
  ) {
    // Shared by all connections, because creating a context reads the trusted authorities.
    this.tls = createSecureContext({
      minVersion: 'TLSv1.2',
      ca: authorities === undefined ? undefined : [...authorities],
    });
  }

  /** Sends a request once, without retries. Never rejects for failures of the destination or the network. */
  async send(request: OutboundRequest): Promise<OutboundOutcome> {
    const started = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.max(0, request.deadlineMs));
    if (request.deadlineMs <= 0) deadline.abort();
    const parent = currentContext()?.traceparent;
    const span = startSpan({ kind: 'client', name: request.method, parent });
    let result: OutboundResult | undefined;
    try {
      result = await this.attempt(traced(request, span?.traceparent ?? parent), deadline.signal);
      return { ...result, durationMs: Math.round(performance.now() - started) };
    } finally {
      clearTimeout(timer);
      span?.end({
        attributes: [
          {
            'http.request.method': request.method,
            'http.response.status_code': result?.kind === 'answer' ? result.status : undefined,
          },
        ],
        failure: failureOf(result),
      });
    }
  }

  private async attempt(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResult> {
    const { url: text, method, headers, body, maxAnswerBytes, refuseCredentialQuery = false, share = '' } = request;
    const parsed = parseDestination(text, { refuseCredentialQuery });
    if (!parsed.ok) return failure('unsafe_destination');
    const { url } = parsed;
    const vetting = await this.safety.vet(url, signal, share);
    if (vetting.kind === 'unsafe') return failure('unsafe_destination');
    if (vetting.kind === 'not_found') return vetting.reason === 'timeout' ? timeout('lookup') : failure(vetting.reason);
    if (signal.aborted) return timeout('lookup');
    return exchange({
      url,
      addresses: vetting.addresses,
      method,
      headers,
      body,
      maxAnswerBytes,
      signal,
      tls: this.tls,
    });
  }
}

/** Adds the header `traceparent`, unless the request already has one. */
function traced(request: OutboundRequest, traceparent: Traceparent | undefined): OutboundRequest {
  if (traceparent === undefined) return request;
  if (Object.keys(request.headers).some((name) => name.toLowerCase() === 'traceparent')) return request;
  return { ...request, headers: { ...request.headers, traceparent } };
}

/** Returns the failure text for the span of a request, or undefined when the request succeeded. */
function failureOf(result: OutboundResult | undefined): string | undefined {
  if (result === undefined) return 'failed';
  if (result.kind === 'failure') return result.reason;
  return result.status >= 400 ? `status ${result.status}` : undefined;
}
