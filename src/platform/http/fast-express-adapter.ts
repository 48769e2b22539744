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

type DirectTaker = (request: CheckedRequest, response: Answer) => boolean;

/** What Express makes the prototypes of the requests and responses it handles; its types do not tell. */
interface Prototypes {
  request: object;
  response: object;
}

/**
 * Nest's Express adapter without Express' dearest habit: it sets the prototype of every request and response, which
 * throws away what the engine has learnt about them and costs more than everything else together
 * (expressjs/express#5998). Here the HTTP server makes them with these prototypes, so that setting them changes
 * nothing. They are subclasses, since constructing Node's own classes by `Reflect.construct` is slower than what it saves.
 */
export class FastExpressAdapter extends ExpressAdapter {
  /** Sockets to cut on close; null unless `forceCloseConnections` asks for it. */
  private connections: Set<Socket> | null = null;
  private direct: DirectTaker = () => false;

  /** Lets requests be taken past Express, where `take` says that it has. */
  setDirect(take: DirectTaker): void {
    this.direct = take;
  }

  override initHttpServer(options: NestApplicationOptions): void {
    // First, as it also installs what answers while closing. Its server never listens and is replaced.
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
    // Both are what Express makes of them, by their prototypes.
    const answer = pipelined((request, response) => {
      if (!this.direct(request, response as Answer)) application(request, response as Answer);
    }) as (request: unknown, response: http.ServerResponse) => void;
    const server =
      options.httpsOptions === undefined
        ? http.createServer(classes, answer)
        : https.createServer({ ...options.httpsOptions, ...classes }, answer);
    // By default Node forgets what comes beyond 2,000 lines in silence.
    server.maxHeadersCount = 0;
    // Judged with the rest of the head; by itself Node would answer 417 without a body.
    server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
    // Asked for when somebody begins to read the body: whoever is refused before that need not send it.
    server.on('checkContinue', (request, response) => {
      request.once('resume', () => {
        if (!response.headersSent) response.writeContinue();
      });
      server.emit('request', request, response);
    });
    if (options.forceCloseConnections === true) this.connections = connectionsOf(server);
    this.setHttpServer(server);
  }

  /** What handlers return: plain objects by the short way, everything else by Nest's. */
  override reply(response: Answer, body: unknown, statusCode?: number): unknown {
    const isPlain = typeof body === 'object' && body !== null && !(body instanceof StreamableFile);
    if (!isPlain || body instanceof Error) return super.reply(response, body, statusCode);
    sendJson(response, statusCode ?? response.statusCode, body);
    return undefined;
  }

  override close(): Promise<void> {
    for (const socket of this.connections ?? []) socket.destroy();
    return super.close() as Promise<void>;
  }
}

/** The open sockets of a server. The base class watches those of the server that it made itself. */
function connectionsOf(server: http.Server): Set<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
