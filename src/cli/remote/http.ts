import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure, Refusal } from './failure.js';

/** The largest answer that is read. A page of the API has at most 4 MiB of events; lists of rules are smaller. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
const ANSWER_TIMEOUT_MS = 60_000;
const LONGEST_WAIT_SECONDS = 60;
const TRIES = 5;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, or text with the media type of `headers`. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends one request and reads its answer, whatever the status. @throws {CommandFailure} if there is no answer */
export async function exchange(address: string, call: Call): Promise<Answer> {
  const response = await open(address, call, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  try {
    const text = await boundedText(response);
    return { status: response.status, headers: response.headers, body: jsonOf(text) };
  } catch (error) {
    throw unreachable(address, error);
  }
}

/** Sends one request and returns its answer unread. A redirect is not followed: it would pass on the credentials. */
async function open(address: string, call: Call, signal: AbortSignal): Promise<Response> {
  const { method, path, query = {}, body, headers } = call;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const isText = typeof body === 'string';
  try {
    return await fetch(`${address}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`, {
      method,
      redirect: 'manual',
      signal,
      headers: { ...(body !== undefined && !isText && { 'content-type': 'application/json' }), ...headers },
      body: isText || body === undefined ? body : JSON.stringify(body),
    });
  } catch (error) {
    throw unreachable(address, error);
  }
}

/** Reads a body of at most LARGEST_ANSWER bytes. @throws {CommandFailure} if the body is larger */
async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > LARGEST_ANSWER) throw new CommandFailure('The answer of the service is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unreachable(address: string, error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  const { name, message, cause } = error as Error;
  // The message of fetch is always "fetch failed". Its cause is more specific and often has a code such as
  // ECONNREFUSED.
  const { code, message: why = message } = (cause ?? {}) as { code?: string; message?: string };
  const reason = name === 'TimeoutError' ? 'it did not answer in time' : (code ?? why);
  return new Unreachable(`${address} cannot be reached: ${reason}`);
}

/** The request got no answer, so it is unknown whether the request took effect. */
export class Unreachable extends CommandFailure {}

/** Returns the seconds of `Retry-After`, or undefined. */
export function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

export interface Credentials {
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Called after a 401. @returns whether there are other credentials now */
  renew(): Promise<boolean>;
}

/** Calls the API with credentials. */
export class Api {
  constructor(
    readonly address: string,
    private readonly credentials: Credentials,
  ) {}

  async get<T>(path: string, query?: Call['query']): Promise<T> {
    return this.call<T>({ method: 'GET', path, query });
  }

  /**
   * Returns the body of the answer. A request that gets a 429 is repeated after `Retry-After`. A read is also repeated
   * after a 503 or when it gets no answer. A write without an answer is not repeated, because it may have taken effect.
   * @throws {Refusal} for every status except 2xx
   */
  async call<T>(call: Call): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await this.tryOnce(call, tries);
      if (answer !== undefined) {
        const { status, body } = answer;
        if (status >= 200 && status < 300) return body as T;
        const wait = retryAfter(answer.headers);
        const mayRepeat = status === 429 || (status === 503 && call.method === 'GET');
        if (!mayRepeat || tries === TRIES || wait === undefined || wait > LONGEST_WAIT_SECONDS) {
          throw refusalOf(answer);
        }
        await sleep(wait * 1000);
      }
    }
  }

  /** Sends a request and returns its answer as a stream. @throws {Refusal} for every status except 200 */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    const send = async () => open(this.address, await this.signed(call), signal);
    let response = await send();
    if (response.status === 401 && (await this.credentials.renew())) response = await send();
    if (response.status === 200) return response;
    throw refusalOf({ status: response.status, body: jsonOf(await boundedText(response)) });
  }

  private async tryOnce(call: Call, tries: number): Promise<Answer | undefined> {
    try {
      const answer = await exchange(this.address, await this.signed(call));
      if (answer.status !== 401 || !(await this.credentials.renew())) return answer;
      return await exchange(this.address, await this.signed(call));
    } catch (error) {
      if (!(error instanceof Unreachable) || call.method !== 'GET' || tries >= 3) throw error;
      await sleep(250 * 2 ** tries);
      return undefined;
    }
  }

  private async signed(call: Call): Promise<Call> {
    return { ...call, headers: { ...call.headers, ...(await this.credentials.headers()) } };
  }
}

export function refusalOf({ status, body }: Pick<Answer, 'status' | 'body'>): Refusal {
  return new Refusal(status, (body as { detail?: unknown } | undefined)?.detail ?? 'Unexpected answer');
}
