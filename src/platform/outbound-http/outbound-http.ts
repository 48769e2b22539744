import { createSecureContext, type SecureContext } from 'node:tls';
import { parseDestination } from './destination.js';
import type { DestinationSafety } from './destination-safety.js';
import { exchange } from './exchange.js';
import { failure, type OutboundOutcome, type OutboundResult, timeout } from './outcome.js';

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /**
   * Those of the connection (`Host`, `Connection`, `Content-Length`, `Transfer-Encoding`, `Accept-Encoding` …) are the
   * client's own: passed over here.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Milliseconds for everything together: look-up, connecting, TLS, sending, headers and body of the answer. */
  readonly deadlineMs: number;
  /** Refuse an address with credential-like query names, as delivery channels do; by default they may stand. */
  readonly refuseCredentialQuery?: boolean;
  /** Whom it is sent for (a project): the look-ups of one do not hold up another's. Default: the host's domain. */
  readonly share?: string;
}

export interface OutboundHttpOptions {
  /** PEM certificates trusted in place of the built-in ones. */
  readonly authorities?: readonly string[];
}

/** The one client for addresses that users give. Everything it connects to was vetted by {@link DestinationSafety}. */
export class OutboundHttp {
  private readonly tls: SecureContext;

  constructor(
    private readonly safety: DestinationSafety,
    { authorities }: OutboundHttpOptions = {},
  ) {
    // One for all connections: making it reads the trusted authorities.
    this.tls = createSecureContext({
      minVersion: 'TLSv1.2',
      ca: authorities === undefined ? undefined : [...authorities],
    });
  }

  /** Never rejects for what the destination or the network does. Nothing is tried a second time. */
  async send(request: OutboundRequest): Promise<OutboundOutcome> {
    const started = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.max(0, request.deadlineMs));
    if (request.deadlineMs <= 0) deadline.abort();
    try {
      const result = await this.attempt(request, deadline.signal);
      return { ...result, durationMs: Math.round(performance.now() - started) };
    } finally {
      clearTimeout(timer);
    }
  }

  private async attempt(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResult> {
    const { url: text, method, headers, body, refuseCredentialQuery = false, share = '' } = request;
    const parsed = parseDestination(text, { refuseCredentialQuery });
    if (!parsed.ok) return failure('unsafe_destination');
    const { url } = parsed;
    const vetting = await this.safety.vet(url, signal, share);
    if (vetting.kind === 'unsafe') return failure('unsafe_destination');
    if (vetting.kind === 'not_found') return vetting.reason === 'timeout' ? timeout('lookup') : failure(vetting.reason);
    if (signal.aborted) return timeout('lookup');
    return exchange({ url, addresses: vetting.addresses, method, headers, body, signal, tls: this.tls });
  }
}
