import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseSettings } from '../../src/config/index.js';
import { ClickHouse } from '../../src/platform/clickhouse/index.js';
import { type Absent, askProgram, type AskOptions } from './programs/ask.js';

/** The address of a ClickHouse, and the credentials of a user with all rights. */
export type ClickHouseAccess = Pick<ClickHouseSettings, 'url' | 'user' | 'password'>;

/**
 * Returns a ClickHouse for the tests: the server at TEST_CLICKHOUSE_URL with its user and password, or else a server of
 * this worker, which starts at the first call. Each test creates its own database there.
 */
export async function testClickHouse(options?: AskOptions): Promise<ClickHouseAccess | Absent> {
  const { TEST_CLICKHOUSE_URL: url, TEST_CLICKHOUSE_USER: user, TEST_CLICKHOUSE_PASSWORD: password } = process.env;
  if (url) return { url, user: user || 'default', password: password ?? '' };
  const answer = await askProgram<ClickHouseAccess>(`clickhouse/${process.env.JEST_WORKER_ID ?? ''}`, options);
  // Continuous integration must fail without the engine, unless the engine is turned off.
  const isNeeded = process.env.CI === 'true' && process.env.TEST_CLICKHOUSE !== 'off' && options?.fetch !== false;
  if ('absent' in answer && isNeeded) throw new Error(answer.absent);
  return answer;
}

/** A database that is dropped after the test. */
export interface EventStore {
  readonly server: ClickHouse;
  /** The environment of a service that uses this database. */
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

/** The error with which the server refuses a statement. */
export interface ServerError {
  readonly code: number;
  readonly message: string;
}

/**
 * Stores one month of a block that has several, and then the server fails or dies. The server commits a block one
 * partition after another, and stores its deduplication token for each of them separately. This fault needs events that
 * arrive soon after their timestamp, because their partition is their month.
 */
export interface OneMonth {
  /** The index among the months of the block, in order. A larger index means the last month. */
  readonly month: number;
  readonly then: 'die' | ServerError;
}

/**
 * `cut`: the request breaks off in the middle. `forget`: the statement is executed, and its answer is lost. `hang`: the
 * whole request is read, and no answer follows. `deaf`: the request is not even read.
 */
export type Fault = 'cut' | 'forget' | 'hang' | 'deaf' | OneMonth | ServerError;

/** A request that is held back from the server. */
interface Held {
  readonly arrive: () => void;
  readonly isFree: Promise<void>;
}

/** An answer that breaks off after its first bytes. */
export interface BrokenAnswer {
  /** Limited to one byte less than the answer has. */
  readonly afterBytes: number;
  /**
   * `reset`: the connection breaks. `end`: the answer ends as if it were complete, as behind a proxy that speaks
   * HTTP/1.0 with the server. `hang`: no more bytes follow. A {@link ServerError}: the server has begun to answer with
   * 200 and then reports this error.
   */
  readonly then: 'reset' | 'end' | 'hang' | ServerError;
}

/** `pass`: no fault. `hang`: no answer follows. */
export type ReadFault = ServerError | BrokenAnswer | 'pass' | 'hang';

/**
 * Marks the start and the end of an error in the middle of an answer. A real server generates a tag for each answer.
 */
const EXCEPTION_TAG = 'rumfyutuqkncbgau';

/** A proxy between the service and the real ClickHouse that can be unavailable and fail. */
export class FaultyServer {
  /** The faults of the next inserts, one each. Later inserts pass. */
  readonly faults: Fault[] = [];
  /** The faults of the next reads of events, one each. */
  readonly readFaults: ReadFault[] = [];
  /** Settings that replace those of the service in reads of events. */
  readSettings: Readonly<Record<string, string>> = {};
  /** The codes of the errors of the real server. */
  readonly errors: string[] = [];
  inserts = 0;
  reads = 0;
  /** The number of blocks of which only one month was stored. */
  storedInPart = 0;
  /** The number of requests that were read while the proxy was silent. */
  unanswered = 0;
  private isSilent = false;
  private held: (Held & { readonly statement: string | undefined }) | undefined;
  /** Parameters are in the URL; this allows headers as large as the real server does. */
  private readonly server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) =>
    this.pass(request, response),
  );

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

  /** Reads every request and answers none. */
  fallSilent(): void {
    this.isSilent = true;
  }

  /** Answers again, and breaks the connections of the requests that have waited for an answer. */
  speak(): void {
    this.isSilent = false;
    this.server.closeAllConnections();
  }

  /** Removes all faults and settings of a test. */
  behave(): void {
    this.faults.length = 0;
    this.readFaults.length = 0;
    this.isSilent = false;
    this.readSettings = {};
    this.errors.length = 0;
    this.held = undefined;
    this.freeHeld();
  }

  /**
   * Holds the next insert that has no fault back from the server until the test frees it.
   * @param statement when set, the next statement that contains this text is held instead
   */
  holdNext(statement?: string): { readonly isHeld: Promise<void>; readonly free: () => void } {
    let free = (): void => undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    this.freeHeld = free;
    const isHeld = new Promise<void>((resolve) => (this.held = { arrive: resolve, isFree, statement }));
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
    if (this.isSilent) {
      this.unanswered += 1;
      return void request.resume();
    }
    const address = new URL(request.url ?? '', this.url);
    const isInsert = address.searchParams.get('query')?.startsWith('INSERT') === true;
    // Only reads have a time limit.
    const isRead = address.searchParams.has('max_execution_time') && !isInsert;
    const settings = isRead ? Object.entries(this.readSettings) : [];
    for (const [name, value] of settings) address.searchParams.set(name, value);
    if (settings.length > 0) request.url = `${address.pathname}${address.search}`;
    if (isRead) this.reads += 1;
    const readFault = isRead ? this.readFaults.shift() : undefined;
    if (readFault === 'hang') return void request.resume();
    if (typeof readFault === 'object') {
      if ('then' in readFault) return void this.breakOff(request, response, readFault);
      return this.fail(request, response, readFault);
    }
    if (!isInsert) return void this.ask(request, response);
    this.inserts += 1;
    const fault = this.faults.shift();
    if (typeof fault === 'object') {
      if ('month' in fault) return void this.storeOneMonth(request, response, fault);
      return this.fail(request, response, fault);
    }
    if (fault === 'hang') return void request.resume();
    if (fault === 'deaf') return;
    if (fault === 'cut') return this.cut(request);
    const held = fault === undefined && this.held?.statement === undefined ? this.held : undefined;
    if (held === undefined) return this.forward(request, response, fault);
    this.held = undefined;
    void buffer(request).then((body) => this.keep(request, response, body, held));
  }

  /** Handles a request whose statement is in the body. */
  private async ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { held } = this;
    if (held?.statement === undefined) return this.forward(request, response, undefined);
    const body = await buffer(request);
    // Another request may have been held in the meantime.
    if (this.held !== held || !body.includes(held.statement)) return this.forward(request, response, undefined, body);
    this.held = undefined;
    await this.keep(request, response, body, held);
  }

  private fail(request: IncomingMessage, response: ServerResponse, error: ServerError): void {
    request.resume().once('end', () => sayError(response, error));
  }

  /** Sends the lines of that month unchanged to the real server, with all headers and parameters of the block. */
  private async storeOneMonth(
    request: IncomingMessage,
    response: ServerResponse,
    { month, then }: OneMonth,
  ): Promise<void> {
    const { method, url: path, headers } = request;
    const { hostname, port } = this.target;
    const months = linesOfMonths(path ?? '', await buffer(request));
    const lines = months[Math.min(month, months.length - 1)] ?? '';
    const { 'content-length': _, 'transfer-encoding': __, ...others } = headers;
    const onward = httpRequest({ hostname, port, method, path, headers: others, agent: false }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200 && months.length > 1) this.storedInPart += 1;
        if (then === 'die') response.destroy();
        else sayError(response, then);
      });
    });
    onward.on('error', () => response.destroy());
    onward.end(lines);
  }

  private async breakOff(
    request: IncomingMessage,
    response: ServerResponse,
    { afterBytes, then }: BrokenAnswer,
  ): Promise<void> {
    const answer = await this.answerTo(request);
    const body = await buffer(answer);
    const { 'content-length': _, ...headers } = answer.headers;
    const tag = typeof then === 'object' ? { 'X-ClickHouse-Exception-Tag': EXCEPTION_TAG } : {};
    response.writeHead(answer.statusCode ?? 500, { ...headers, ...tag });
    const first = body.subarray(0, Math.min(afterBytes, body.length - 1));
    if (typeof then === 'object') response.write(first, () => response.end(toldInBody(then)));
    else if (then === 'end') response.end(first);
    else if (then === 'hang') response.write(first);
    // The written bytes arrive before the connection ends.
    else response.write(first.length === 0 ? '' : first, () => request.socket.destroySoon());
  }

  private answerTo(request: IncomingMessage): Promise<IncomingMessage> {
    const { method, url: path, headers } = request;
    const { hostname, port } = this.target;
    return new Promise((resolve, reject) => {
      const onward = httpRequest({ hostname, port, method, path, headers, agent: false }, resolve);
      onward.on('error', reject);
      request.pipe(onward);
    });
  }

  /** Forwards the request once it is freed, even when the sender has disconnected, because the proxy has all of it. */
  private async keep(request: IncomingMessage, response: ServerResponse, body: Buffer, held: Held): Promise<void> {
    held.arrive();
    await held.isFree;
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
      const { 'x-clickhouse-exception-code': code } = answer.headers;
      if (code !== undefined) this.errors.push(String(code));
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

  /** The real server gets the first chunk and then the end of the connection. */
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

function sayError(response: ServerResponse, { code, message }: ServerError): void {
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
  response.end(`Code: ${code}. DB::Exception: ${message}`);
}

/** Returns the lines of an insert by the months of their timestamps, the oldest first. */
function linesOfMonths(path: string, body: Buffer): string[] {
  const statement = new URL(path, 'http://server').searchParams.get('query') ?? '';
  const columns =
    /\(([^)]*)\)/
      .exec(statement)?.[1]
      ?.split(',')
      .map((name) => name.trim().replaceAll('`', '')) ?? [];
  const place = columns.indexOf('timestamp');
  const months = new Map<string, string>();
  for (const line of body.toString('utf8').split('\n').filter(Boolean)) {
    const month = line.split('\t')[place]?.slice(0, 7) ?? '';
    months.set(month, `${months.get(month) ?? ''}${line}\n`);
  }
  return [...months].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lines]) => lines);
}

/** Formats an error as the server does from version 25.11. */
function toldInBody({ code, message }: ServerError): string {
  const said = `Code: ${code}. DB::Exception: ${message}\n`;
  const [begin, end] = [`\r\n__exception__\r\n${EXCEPTION_TAG}\r\n`, ` ${EXCEPTION_TAG}\r\n__exception__\r\n`];
  return `${begin}${said}${Buffer.byteLength(said)}${end}`;
}
