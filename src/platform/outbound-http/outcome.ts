export type OutboundFailureReason =
  /** The URL or an address of the destination was refused. No connection was opened. */
  | 'unsafe_destination'
  /** The method or a header is not allowed in a request. */
  | 'invalid_request'
  /** The deadline passed, or connecting timed out. */
  | 'timeout'
  | 'unknown_host'
  | 'dns_temporary'
  | 'connection_refused'
  | 'connection_reset'
  /** No route, local port or file descriptor was available, so nothing was sent to the destination. */
  | 'connection_failed'
  /** The certificate is not trusted, has expired, or belongs to another host. */
  | 'tls_certificate'
  | 'tls_handshake'
  /** The answer is not HTTP, or its head is larger than 16 KiB. */
  | 'protocol_error';

export interface OutboundAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names are in lower case, and repeated headers are joined by `, `. At most 16 KiB in total. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The first bytes of the body as UTF-8, with invalid bytes replaced: 8 KiB, unless the request sets another limit.
   * Empty for a compressed body. The text is not sanitized.
   */
  readonly body: string;
  readonly retryAfter: string | null;
}

export interface OutboundFailure {
  readonly kind: 'failure';
  readonly reason: OutboundFailureReason;
  /** A short fixed sentence. It contains nothing that came from the destination or the network. */
  readonly message: string;
}

export type OutboundResult = OutboundAnswer | OutboundFailure;
export type OutboundOutcome = OutboundResult & { readonly durationMs: number };

/** The phase of a request in which a deadline or an error ended it. */
export type Phase = 'lookup' | 'connect' | 'handshake' | 'request' | 'body';

const LATE: Record<Phase, string> = {
  lookup: 'Timed out looking up the host name',
  connect: 'Timed out connecting',
  handshake: 'Timed out in the TLS handshake',
  request: 'Timed out waiting for the answer',
  body: 'Timed out reading the answer',
};

const MESSAGES: Record<Exclude<OutboundFailureReason, 'timeout'>, string> = {
  unsafe_destination: 'Destination is not allowed',
  invalid_request: 'Request cannot be sent in this form',
  unknown_host: 'Host name does not exist',
  dns_temporary: 'Host name could not be looked up',
  connection_refused: 'Connection was refused',
  connection_reset: 'Connection was closed before an answer',
  connection_failed: 'Connection could not be made',
  tls_certificate: 'TLS certificate is not valid for the host',
  tls_handshake: 'TLS handshake failed',
  protocol_error: 'Answer is not valid HTTP',
};

export function failure(reason: Exclude<OutboundFailureReason, 'timeout'>): OutboundFailure {
  return { kind: 'failure', reason, message: MESSAGES[reason] };
}

export function timeout(phase: Phase): OutboundFailure {
  return { kind: 'failure', reason: 'timeout', message: LATE[phase] };
}

const CONNECTION_CODES: Readonly<Record<string, Exclude<OutboundFailureReason, 'timeout'>>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
};

/** Returns the failure that an error of a socket or of the HTTP parser means in a phase. */
export function failureOf(error: Error, phase: Phase): OutboundFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ETIMEDOUT') return timeout(phase);
  const known = CONNECTION_CODES[code];
  if (known !== undefined) return failure(known);
  if (code.startsWith('HPE_')) return failure('protocol_error');
  if (phase === 'connect') return failure('connection_failed');
  if (phase === 'handshake') return failure(isHandshakeCode(code) ? 'tls_handshake' : 'tls_certificate');
  // After the handshake, TLS alerts arrive as ERR_SSL_*, for example for a missing client certificate.
  return failure(isHandshakeCode(code) ? 'tls_handshake' : 'connection_reset');
}

// All other error codes in the handshake are OpenSSL's results of verifying the certificate (CERT_HAS_EXPIRED,
// DEPTH_ZERO_…).
function isHandshakeCode(code: string): boolean {
  return /^($|EPROTO$|ERR_SSL_|ERR_TLS_(?!CERT_)|ERR_OSSL_)/.test(code);
}
