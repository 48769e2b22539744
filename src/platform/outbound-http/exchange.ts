import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect as connectTcp, type LookupFunction, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { canonicalAddress } from './addresses.js';
import { AnswerText } from './answer-text.js';
import { isConnectionHeader } from './connection-headers.js';
import { bareHost } from './destination.js';
import type { HostAddress } from './host-lookup.js';
import { failure, failureOf, type OutboundResult, type Phase, timeout } from './outcome.js';

/** The time limit for connecting to each address except the last one. After it, the next address is tried. */
const ATTEMPT_MS = 1_000;
const MOST_ADDRESSES = 8;
const MOST_HEAD_BYTES = 16_384;
export interface Exchange {
  readonly url: URL;
  /** The vetted addresses. No other address is connected to. */
  readonly addresses: readonly HostAddress[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly maxAnswerBytes?: number | undefined;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  readonly tls: SecureContext;
}

/**
 * Sends one request over its own connection, without proxies, redirects or keep-alive. A reused connection that the
 * other side is closing could lose requests, and a pool would have to record which address was vetted for which caller.
 * Never rejects. An answer that ends early after its headers (closed connection, missing bytes, invalid chunks) is
 * returned with its status. An answer that is incomplete at the deadline is a timeout.
 */
export function exchange(order: Exchange): Promise<OutboundResult> {
  const { url, signal } = order;
  return new Promise((resolve) => {
    let phase: Phase = 'connect';
    let settled = false;
    let socket: Socket | null = null;
    let request: ClientRequest | null = null;
    let answer: (() => OutboundResult) | null = null;

    const settle = (result: OutboundResult) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onLate);
      request?.destroy();
      socket?.destroy();
      resolve(result);
    };
    const onLate = () => settle(timeout(phase));
    const onError = (error: Error) => settle(answer?.() ?? failureOf(error, phase));

    const connect = () => {
      const opened = openSocket(order);
      opened.on('error', onError);
      // The address is checked before the TLS handshake starts or the request is sent.
      opened.prependOnceListener('connect', () => {
        if (!isVetted(opened.remoteAddress, order.addresses)) return settle(failure('unsafe_destination'));
        phase = url.protocol === 'https:' ? 'handshake' : 'request';
      });
      opened.once('secureConnect', () => (phase = 'request'));
      return (socket = opened);
    };
    signal.addEventListener('abort', onLate, { once: true });

    try {
      request = httpRequest({
        // Node calls this only after it has validated the method and the headers.
        createConnection: connect,
        method: order.method,
        path: `${url.pathname}${url.search}`,
        headers: headersOf(order),
        setHost: false,
        joinDuplicateHeaders: true,
        maxHeaderSize: MOST_HEAD_BYTES,
        insecureHTTPParser: false,
      });
    } catch {
      return settle(failure('invalid_request'));
    }
    request.on('error', onError);
    request.on('close', () => settle(answer?.() ?? failure('connection_reset')));
    // A 101 answer is a protocol error, because no upgrade was requested. Other 1xx answers are ignored.
    request.on('upgrade', () => settle(failure('protocol_error')));
    request.on('response', (response) => {
      phase = 'body';
      const text = new AnswerText(order.maxAnswerBytes);
      const finish = () => settle(answerOf(response, text));
      answer = () => {
        // Data that arrived before the error may still be buffered. `read()` passes it to the listener below.
        while (response.read() !== null);
        return answerOf(response, text);
      };
      response.on('data', (chunk: Buffer) => {
        text.add(chunk);
        if (text.isFull) finish();
      });
      response.on('end', finish);
      response.on('error', finish);
      response.on('close', finish);
    });
    request.end(order.body);
  });
}

function openSocket({ url, addresses, tls }: Exchange): Socket {
  const host = bareHost(url);
  const isTls = url.protocol === 'https:';
  const connection = {
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    // Node does not call `lookup` when the host is an IP address. The host is then the vetted address itself.
    lookup: pinned(addresses.slice(0, MOST_ADDRESSES)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  };
  if (!isTls) return connectTcp(connection);
  return connectTls({
    ...connection,
    // RFC 6066 does not allow an IP address as the server name. The certificate is checked for `host` in any case.
    servername: isIP(host) === 0 ? host : '',
    secureContext: tls,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
}

function pinned(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 0);
  };
}

function isVetted(remote: string | undefined, addresses: readonly HostAddress[]): boolean {
  const connected = canonicalAddress(remote ?? '');
  return connected !== null && addresses.some(({ address }) => canonicalAddress(address) === connected);
}

function headersOf({ url, method, headers, body }: Exchange): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isConnectionHeader(name))),
    Host: url.host,
    ...(method !== 'GET' && { 'Content-Length': String(body.length) }),
    'Accept-Encoding': 'identity',
    Connection: 'close',
  };
}

function answerOf(response: IncomingMessage, text: AnswerText): OutboundResult {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
  );
  const isPlain = ['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '');
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    headers,
    body: isPlain ? text.toString() : '',
    retryAfter: headers['retry-after'] ?? null,
  };
}
