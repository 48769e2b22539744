import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseSettings } from '../../src/config/index.js';
import { ClickHouse } from '../../src/platform/clickhouse/index.js';
import { type Absent, askProgram, type AskOptions } from './programs/ask.js';

/** Where a ClickHouse is, and who may do everything there. */
export type ClickHouseAccess = Pick<ClickHouseSettings, 'url' | 'user' | 'password'>;

/**
 * A ClickHouse for the tests: that of TEST_CLICKHOUSE_URL and its user and password, else one of this worker's own, which starts
 * when it is asked for first. Each test makes a database of its own there.
 */
export async function testClickHouse(options?: AskOptions): Promise<ClickHouseAccess | Absent> {
  const { TEST_CLICKHOUSE_URL: url, TEST_CLICKHOUSE_USER: user, TEST_CLICKHOUSE_PASSWORD: password } = process.env;
  if (url) return { url, user: user || 'default', password: password ?? '' };
  const answer = await askProgram<ClickHouseAccess>(`clickhouse/${process.env.JEST_WORKER_ID ?? ''}`, options);
  // Continuous integration is not green without the engine, unless somebody turned the engine off.
  const isNeeded = process.env.CI === 'true' && process.env.TEST_CLICKHOUSE !== 'off' && options?.fetch !== false;
  if ('absent' in answer && isNeeded) throw new Error(answer.absent);
  return answer;
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

/** What the server says that it did not do. */
export interface ServerError {
  readonly code: number;
  readonly message: string;
}

/**
 * Of a block that has several months one is stored, and then the server fails or dies: it commits a block one partition after the
 * other, and remembers its token for each of them by itself. For events that are near their arrival, whose partition is their month.
 */
export interface OneMonth {
  /** Of the months of the block in their order; the last one where there are fewer. */
  readonly month: number;
  readonly then: 'die' | ServerError;
}

/**
 * `cut`: the request breaks off in the middle. `forget`: it is carried out, and its answer is lost. `hang`: all of it is taken, and no
 * answer comes. `deaf`: it is not even read.
 */
export type Fault = 'cut' | 'forget' | 'hang' | 'deaf' | OneMonth | ServerError;

/** What is kept from the server. */
interface Held {
  readonly arrive: () => void;
  readonly isFree: Promise<void>;
}

/** An answer that breaks off behind its first bytes. */
export interface BrokenAnswer {
  /** One less than there are, at most. */
  readonly afterBytes: number;
  /**
   * `reset`: the connection breaks. `end`: the answer ends as if it was whole, as behind a proxy that speaks HTTP/1.0 with the
   * server. `hang`: nothing else comes. Else what the server says once it has begun to answer with 200, and cannot go on.
   */
  readonly then: 'reset' | 'end' | 'hang' | ServerError;
}

/** `pass`: none. `hang`: no answer comes. */
export type ReadFault = ServerError | BrokenAnswer | 'pass' | 'hang';

/** What stands before and behind an error in the middle of an answer; the server makes one for each. */
const EXCEPTION_TAG = 'rumfyutuqkncbgau';

/** A ClickHouse between the service and the real one, that can be away, and fail. */
export class FaultyServer {
  /** What becomes of the next inserts, one after the other; those behind them pass. */
  readonly faults: Fault[] = [];
  /** What becomes of the next reads of events. */
  readonly readFaults: ReadFault[] = [];
  /** Settings that reads of events come to the server with, whatever the service has sent. */
  readSettings: Readonly<Record<string, string>> = {};
  /** Codes of the errors that the server itself has answered with. */
  readonly errors: string[] = [];
  inserts = 0;
  reads = 0;
  /** Blocks of which one month of several was stored. */
  storedInPart = 0;
  /** Requests that it has taken while it said nothing. */
  unanswered = 0;
  private isSilent = false;
  private held: (Held & { readonly statement: string | undefined }) | undefined;
  /** Values stand in the address, as much as the real one takes there. */
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

  /** Takes whatever is asked, and answers nothing of it. */
  fallSilent(): void {
    this.isSilent = true;
  }

  /** Answers again; what has waited for an answer is told that there will be none. */
  speak(): void {
    this.isSilent = false;
    this.server.closeAllConnections();
  }

  /** Nothing of what a test has asked for is left. */
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
   * Keeps the next insert that has no fault from the server until it is told to let it go.
   * @param statement a text: keeps the next statement that has it, instead
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
    // Reads alone have a bound of time.
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

  /** Its text stands in the body. */
  private async ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { held } = this;
    if (held?.statement === undefined) return this.forward(request, response, undefined);
    const body = await buffer(request);
    // Another one may have been kept meanwhile.
    if (this.held !== held || !body.includes(held.statement)) return this.forward(request, response, undefined, body);
    this.held = undefined;
    await this.keep(request, response, body, held);
  }

  private fail(request: IncomingMessage, response: ServerResponse, error: ServerError): void {
    request.resume().once('end', () => sayError(response, error));
  }

  /** The lines of that month go to the real server as they are, with all that is said of the block. */
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
    // What was sent arrives before the end of the connection does.
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

  /** It has all of it, so it passes it on also when whoever sent it is gone by then. */
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

function sayError(response: ServerResponse, { code, message }: ServerError): void {
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
  response.end(`Code: ${code}. DB::Exception: ${message}`);
}

/** The lines of an insert by the months of their timestamps, oldest first. */
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

/** As the server writes it from version 25.11 on. */
function toldInBody({ code, message }: ServerError): string {
  const said = `Code: ${code}. DB::Exception: ${message}\n`;
  const [begin, end] = [`\r\n__exception__\r\n${EXCEPTION_TAG}\r\n`, ` ${EXCEPTION_TAG}\r\n__exception__\r\n`];
  return `${begin}${said}${Buffer.byteLength(said)}${end}`;
}
