import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Response as Answer } from 'express';
import type { CheckedRequest } from './inputs.js';
import { clientAddress, type ProxyTrust } from './client-address.js';
import { pipelined } from './pipelined-requests.js';
import { SERVER_OPTIONS } from './request-head.js';
import { sendJson } from './send-json.js';
import { takeDefaultHeaders } from './default-headers.js';
import { isError } from '../errors/index.js';

type DirectTaker = (request: CheckedRequest, response: Answer) => boolean;

/** Express's prototypes for requests and responses. Its types do not declare them. */
interface Prototypes {
  request: object;
  response: object;
}

/**
 * Nest's Express adapter, without the most expensive step of Express: Express sets the prototype of every request and
 * response. This discards the engine's optimizations for these objects and costs more than everything else together
 * (expressjs/express#5998). Here the HTTP server creates requests and responses that already have these prototypes, so
 * that setting them again changes nothing. The prototypes belong to subclasses, because constructing Node's own classes
 * with `Reflect.construct` costs more than it saves.
 */
export class FastExpressAdapter extends ExpressAdapter {
  /** The sockets that are destroyed on close. Null unless `forceCloseConnections` is set. */
  private connections: Set<Socket> | null = null;
  private direct: DirectTaker = () => false;

  /** Sets a handler that is called before Express. The handler returns true when it has taken over the request. */
  setDirect(take: DirectTaker): void {
    this.direct = take;
  }

  override initHttpServer(options: NestApplicationOptions): void {
    // The base method is called because it also installs the answers during shutdown. The server that it creates is
    // replaced and never listens.
    super.initHttpServer(options);
    const application = this.getInstance<Application & Prototypes>();

    class Request extends http.IncomingMessage {}
    Object.setPrototypeOf(Request.prototype, application.request);
    Object.defineProperty(Request.prototype, 'ip', {
      get(this: http.IncomingMessage) {
        const trusts = application.get('trust proxy fn') as ProxyTrust;
        const forwarded = this.headers['x-forwarded-for'] as string | undefined;
        return clientAddress(this.socket.remoteAddress, forwarded, trusts);
      },
    });
    application.request = Request.prototype;

    class Response extends http.ServerResponse<Request> {}
    Object.setPrototypeOf(Response.prototype, application.response);
    takeDefaultHeaders(Response.prototype);
    application.response = Response.prototype;

    const classes = {
      ...SERVER_OPTIONS,
      IncomingMessage: Request,
      ServerResponse: Response,
    } as unknown as http.ServerOptions;
    // The request and the response already have Express's prototypes.
    const answer = pipelined((request, response) => {
      if (!this.direct(request, response as Answer)) application(request, response as Answer);
    }) as (request: unknown, response: http.ServerResponse) => void;
    const server =
      options.httpsOptions === undefined
        ? http.createServer(classes, answer)
        : https.createServer({ ...options.httpsOptions, ...classes }, answer);
    // By default Node silently drops header lines beyond 2,000.
    server.maxHeadersCount = 0;
    // `faultOfHead` checks `Expect` with the rest of the head. By default Node would answer 417 without a body.
    server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
    // 100 Continue is sent when the body is first read. A client whose request is refused before that need not send its
    // body.
    server.on('checkContinue', (request, response) => {
      request.once('resume', () => {
        if (!response.headersSent) response.writeContinue();
      });
      server.emit('request', request, response);
    });
    if (options.forceCloseConnections === true) this.connections = connectionsOf(server);
    this.setHttpServer(server);
  }

  /** Sends plain objects directly, and every other value with Nest's implementation. */
  override reply(response: Answer, body: unknown, statusCode?: number): unknown {
    const isPlain = typeof body === 'object' && body !== null && !(body instanceof StreamableFile);
    if (!isPlain || isError(body)) return super.reply(response, body, statusCode);
    sendJson(response, statusCode ?? response.statusCode, body);
    return undefined;
  }

  override close(): Promise<void> {
    for (const socket of this.connections ?? []) socket.destroy();
    return super.close() as Promise<void>;
  }
}

/** Tracks the open sockets of a server. The base class tracks only those of the server that it created itself. */
function connectionsOf(server: http.Server): Set<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
