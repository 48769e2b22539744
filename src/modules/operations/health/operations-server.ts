import { Inject, Injectable, Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONFIG, type Config } from '../../../config/index.js';
import { errorCode, errorMessage } from '../../../platform/errors/index.js';
import { ProcessReports } from './process-reports.js';

/** Maximum number of further ports that are tried when the default port is in use. */
const MOST_PORTS = 100;
const LAST_PORT = 65_535;
/** Timeout for the head of a request, in milliseconds. Requests to this server have no body. */
const REQUEST_LIMIT_MS = 10_000;
const MAX_CONNECTIONS = 64;

/** The operations port cannot be opened. `cause` is the error of the listener. */
export class OperationsPortUnavailable extends Error {
  constructor(cause: unknown) {
    super('the operations port cannot be opened', { cause });
  }
}

interface Report {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * The HTTP server for operators, in processes of every role: `/live`, `/ready`, `/health` and `/metrics`. It is
 * separate from the API, so the limits of the API do not apply to it, and a process that runs only workers can be
 * observed too. It requires no credentials: see docs/operations.md.
 */
@Injectable()
export class OperationsServer {
  private server: Server | undefined;
  private readonly logger = new Logger('operations');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reports: ProcessReports,
  ) {}

  /**
   * Opens the port and returns its number, or null when the configuration turns the server off.
   * @throws OperationsPortUnavailable
   */
  async open(): Promise<number | null> {
    const { port, takesNextPort } = this.config.operations;
    if (port === 0) return null;
    const last = takesNextPort ? Math.min(port + MOST_PORTS, LAST_PORT) : port;
    for (let next = port; ; next += 1) {
      // The API opens its own port later.
      if (takesNextPort && next === this.config.http.port) continue;
      try {
        this.server = await this.listen(next);
        return (this.server.address() as AddressInfo).port;
      } catch (error) {
        if (errorCode(error) !== 'EADDRINUSE' || next >= last) throw new OperationsPortUnavailable(error);
      }
    }
  }

  /** Reports from now on that the process is not ready, so that load balancers send it no more requests. */
  beginStop(): void {
    this.reports.beginStop();
  }

  async close(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private async listen(port: number): Promise<Server> {
    const server = createServer({
      requestTimeout: REQUEST_LIMIT_MS,
      headersTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: REQUEST_LIMIT_MS / 2,
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('request', (request, response) => void this.answer(request, response));
    server.listen(port, this.config.operations.host);
    await once(server, 'listening');
    // The server emits such an error, for example, when no file descriptor is left for a new connection.
    server.on('error', (error) => this.logger.warn(`operations port: ${errorMessage(error)}`));
    return server;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, text } = await this.reportOf(request).catch(() => json(503, { detail: 'No report' }));
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  private async reportOf({ method, url = '' }: IncomingMessage): Promise<Report> {
    if (method !== 'GET' && method !== 'HEAD') return json(405, { detail: 'Method Not Allowed' });
    switch (url.split('?', 1)[0]) {
      case '/live':
        return json(200, { live: true });
      case '/ready': {
        const readiness = await this.reports.ready();
        return json(readiness.ready ? 200 : 503, readiness);
      }
      case '/health': {
        const health = await this.reports.health();
        return json(health.status === 'down' ? 503 : 200, health);
      }
      case '/metrics':
        return { status: 200, type: this.reports.metricsType, text: await this.reports.metrics() };
      default:
        return json(404, { detail: 'Not Found' });
    }
  }
}

function json(status: number, body: object): Report {
  return { status, type: 'application/json; charset=utf-8', text: JSON.stringify(body) };
}
