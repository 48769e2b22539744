import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { DroppedBytes } from './dropped-bytes.js';
import { requestIdFrom } from './request-id.js';
import { apiHeaderLines } from './security-headers.js';
import { isStreamed } from './streamed-body.js';

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Errors of a broken connection, on which no answer can be sent. */
const GONE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/**
 * The latest response of a connection. It is stored on the socket, because a separate table would cost the garbage
 * collector more than the rest of this file.
 */
const LATEST = Symbol('latest response');

type Answering = Socket & { [LATEST]?: ServerResponse };

/** Responses that were sent here, because the body of their request was broken. The handlers may still be running. */
const ANSWERED = new WeakSet<ServerResponse>();

export function isAnsweredForBrokenBody(response: ServerResponse): boolean {
  return ANSWERED.has(response);
}

const HEAD_END = '\r\n\r\n';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface ParserRefusal {
  readonly requestId: string;
  readonly status: number;
  /** Node's error code. */
  readonly code: string;
}

/**
 * Answers requests that the parser rejects, and CONNECT requests, which Node does not answer. These requests do not
 * reach a handler. The answer has the documented form `{"detail"}`, a request id and the usual headers, and is sent
 * after the pending answers of the connection. Then the connection is closed, because the start of the next request
 * cannot be found.
 */
export function answerClientErrors(
  server: Server,
  dropped: DroppedBytes,
  tell: (refusal: ParserRefusal) => void,
): void {
  const refused = new WeakSet<Socket>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    (request.socket as Answering)[LATEST] = response;
  });

  const refuse = (socket: Socket, status: number, code: string, sentId?: string): void => {
    refused.add(socket);
    const response = (socket as Answering)[LATEST];
    const answer = (): void => {
      const requestId = requestIdFrom(sentId);
      tell({ requestId, status, code });
      if (!socket.writable) return void socket.destroy();
      socket.end(answerText(status, requestId));
      dropped.drop(socket);
    };
    if (response !== undefined && !response.req.complete) {
      // The fault is in the body of this request, so the request will never be complete. Its response reports the
      // fault, unless the head of the response has been sent. After a parser error, Node emits neither `error` nor
      // `close` on the request.
      socket.once('close', () => response.req.destroy());
      if (response.headersSent) return endAfter(response, socket, dropped);
      response.shouldKeepAlive = false;
      ANSWERED.add(response);
      const body = bodyOf(status);
      // The client sees the end at once and closes its side. Without this, the connection would stay open until the
      // time limit for dropped bytes.
      response.once('finish', () => socket.end());
      response.writeHead(status, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body) }).end(body);
      return;
    }
    // Answers are sent in the order of their requests, so this answer must follow the latest response.
    if (response === undefined || response.writableFinished || response.destroyed) answer();
    else response.once('close', answer);
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { code = '' } = error;
    if (GONE.has(code)) return void socket.destroy();
    // The parser reports an error for every further packet of a refused client.
    if (refused.has(socket)) return;
    if (!socket.writable) return void socket.destroy();
    // This error is the timeout for a whole request. A streamed body has a time limit for each piece instead, which its
    // reader reports.
    const current = (socket as Answering)[LATEST]?.req;
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && current !== undefined && !current.complete && isStreamed(current))
      return;
    refuse(socket, STATUS_OF[code] ?? 400, code, sentRequestId(error));
  });
  server.on('connect', ({ headers }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, 405, 'CONNECT', headers['x-request-id'] as string | undefined);
  });
}

/** The members that Node adds to an error of its parser. */
interface ParserError extends Error {
  readonly rawPacket?: Buffer;
  /** The number of bytes that were parsed. */
  readonly bytesParsed?: number;
}

/**
 * Returns the `X-Request-ID` of a head that the parser refused, if the packet with the fault contains it. Undefined
 * when the header occurs twice.
 */
function sentRequestId({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (rawPacket === undefined) return undefined;
  const text = rawPacket.toString('latin1');
  const before = text.lastIndexOf(HEAD_END, bytesParsed);
  const behind = text.indexOf(HEAD_END, bytesParsed);
  const head = text.slice(before < 0 ? 0 : before + HEAD_END.length, behind < 0 ? text.length : behind + 2);
  const [found, ...more] = head.matchAll(/\r\nx-request-id:([^\r\n]*)(?=\r\n)/gi);
  return more.length > 0 ? undefined : found?.[1]?.trim();
}

/** Waits until the current answer is sent, then ends the connection. */
function endAfter(response: ServerResponse, socket: Socket, dropped: DroppedBytes): void {
  const end = (): void => {
    socket.end();
    dropped.drop(socket);
  };
  if (response.writableFinished || response.destroyed) end();
  else response.once('close', end);
}

function bodyOf(status: number): string {
  return JSON.stringify({ detail: STATUS_CODES[status] });
}

function answerText(status: number, requestId: string): string {
  const body = bodyOf(status);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...apiHeaderLines,
    `X-Request-ID: ${requestId}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
