import { randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { ClickHouseSettings } from '../../src/config/index.js';
import { ClickHouse } from '../../src/platform/clickhouse/index.js';
import type { Absent } from './s3.js';

/** Where a ClickHouse is, and who may do everything there. */
export type ClickHouseAccess = Pick<ClickHouseSettings, 'url' | 'user' | 'password'>;

/**
 * A ClickHouse for the tests: that of TEST_CLICKHOUSE_URL and its user and password, else one of this worker's own, which starts
 * when it is asked for first. Each test makes a database of its own there.
 */
export async function testClickHouse(): Promise<ClickHouseAccess | Absent> {
  const { TEST_CLICKHOUSE_URL: url, TEST_CLICKHOUSE_OFFER: offer } = process.env;
  const { TEST_CLICKHOUSE_USER: user, TEST_CLICKHOUSE_PASSWORD: password } = process.env;
  if (url) return { url, user: user || 'default', password: password ?? '' };
  if (!offer) throw new Error('TEST_CLICKHOUSE_OFFER is not set: run the tests through Jest with its global setup');
  return new Promise((resolve, reject) => {
    const request = get(`${offer}/${process.env.JEST_WORKER_ID ?? ''}`, { agent: false }, (response) => {
      text(response).then((answer) => resolve(JSON.parse(answer) as ClickHouseAccess | Absent), reject);
    });
    request.on('error', reject);
  });
}

/** A database that is gone after the test. */
export interface EventStore {
  readonly server: ClickHouse;
  /** For the service. */
  readonly env: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

/** @param url another address of the same server, such as that of a {@link FaultyServer} */
export async function eventStore(access: ClickHouseAccess, url = access.url): Promise<EventStore> {
  const database = `test_${randomBytes(8).toString('hex')}`;
  const server = await ClickHouse.open({ ...access, database, cluster: undefined });
  return {
    server,
    env: {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: access.user,
      CLICKHOUSE_PASSWORD: access.password,
      CLICKHOUSE_DATABASE: database,
    },
    drop: async () => {
      await server.command(`DROP DATABASE IF EXISTS \`${database}\` SYNC`);
      await server.close();
    },
  };
}

/** `cut`: the request breaks off in the middle. `forget`: it is carried out, and its answer is lost. Else an error of the server. */
export type Fault = 'cut' | 'forget' | { readonly code: number; readonly message: string };

/** A ClickHouse between the service and the real one, that can be away, and fail. */
export class FaultyServer {
  /** What becomes of the next inserts, one after the other; those behind them pass. */
  readonly faults: Fault[] = [];
  /** What becomes of the next reads of events; `hang`: no answer comes. */
  readonly readFaults: (Exclude<Fault, string> | 'hang')[] = [];
  inserts = 0;
  private held: { arrive: () => void; readonly isFree: Promise<void> } | undefined;
  private readonly server = createServer((request, response) => this.pass(request, response));

  private constructor(private readonly target: URL) {}

  static async before({ url }: ClickHouseAccess): Promise<FaultyServer> {
    const faulty = new FaultyServer(new URL(url));
    await faulty.listen(0);
    return faulty;
  }

  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  private freeHeld = (): void => undefined;

  /** Nothing of what a test has asked for is left. */
  behave(): void {
    this.faults.length = 0;
    this.readFaults.length = 0;
    this.held = undefined;
    this.freeHeld();
  }

  /** Keeps the next insert that has no fault from the server until it is told to let it go. */
  holdNext(): { readonly isHeld: Promise<void>; readonly free: () => void } {
    let free = (): void => undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    this.freeHeld = free;
    const isHeld = new Promise<void>((resolve) => (this.held = { arrive: resolve, isFree }));
    return { isHeld, free };
  }

  async goAway(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  comeBack(): Promise<void> {
    return this.listen(this.port);
  }

  private async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const isInsert = new URL(request.url ?? '', this.url).searchParams.get('query')?.startsWith('INSERT') === true;
    // Reads alone have a bound of time.
    const isRead = new URL(request.url ?? '', this.url).searchParams.has('max_execution_time') && !isInsert;
    const readFault = isRead ? this.readFaults.shift() : undefined;
    if (readFault === 'hang') return void request.resume();
    if (readFault !== undefined) return this.fail(request, response, readFault);
    if (!isInsert) return this.forward(request, response, undefined);
    this.inserts += 1;
    const fault = this.faults.shift();
    if (typeof fault === 'object') return this.fail(request, response, fault);
    if (fault === 'cut') return this.cut(request);
    const held = fault === undefined ? this.held : undefined;
    if (held !== undefined) this.held = undefined;
    if (held === undefined) this.forward(request, response, fault);
    else void this.keep(request, response, held);
  }

  private fail(request: IncomingMessage, response: ServerResponse, { code, message }: Exclude<Fault, string>): void {
    request.resume().once('end', () => {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
      response.end(`Code: ${code}. DB::Exception: ${message}`);
    });
  }

  /** It has all of it, so it passes it on also when whoever sent it is gone by then. */
  private async keep(
    request: IncomingMessage,
    response: ServerResponse,
    { arrive, isFree }: { arrive: () => void; isFree: Promise<void> },
  ): Promise<void> {
    const body = await buffer(request);
    arrive();
    await isFree;
    this.forward(request, response, undefined, body);
  }

  private forward(
    request: IncomingMessage,
    response: ServerResponse,
    fault: 'forget' | undefined,
    body?: Buffer,
  ): void {
    const { method, url: path, headers } = request;
    const { hostname, port } = this.target;
    const onward = httpRequest({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (fault === 'forget') {
        answer.resume().once('end', () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    if (body !== undefined) {
      onward.end(body);
      return;
    }
    request.on('error', () => onward.destroy());
    request.pipe(onward);
  }

  /** The real server sees the first piece and then the end of the connection. */
  private cut(request: IncomingMessage): void {
    const onward = connect(Number(this.target.port), this.target.hostname);
    const lines = [`${request.method} ${request.url} HTTP/1.1`, 'Transfer-Encoding: chunked'];
    for (const name of ['host', 'authorization', 'content-type']) {
      if (request.headers[name] !== undefined) lines.push(`${name}: ${String(request.headers[name])}`);
    }
    onward.on('error', () => undefined);
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    request.once('data', (piece: Buffer) => {
      const whole = piece.subarray(0, piece.lastIndexOf(0x0a) + 1);
      onward.end(`${whole.length.toString(16)}\r\n${whole.toString('latin1')}\r\n`, 'latin1', () => {
        onward.destroy();
        request.socket.destroy();
      });
    });
  }
}
