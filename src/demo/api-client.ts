import { DemoError, messageOf } from './demo-error.js';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text itself when it is not JSON. */
  readonly body: unknown;
}

export interface ApiRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged as JSON, URLSearchParams as a form, and any other object is serialized as JSON. */
  readonly body?: string | URLSearchParams | object;
}

type Method = 'GET' | 'POST' | 'PATCH';

const REQUEST_LIMIT_MS = 30_000;

/** A client of the public HTTP API. The runtime's own pool keeps connections alive. */
export class ApiClient {
  constructor(readonly baseUrl: string) {}

  /** Returns every answer, including refusals. Rejects only when there is no answer. */
  async exchange(method: Method, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const { body } = request;
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }), ...request.headers },
      body: body === undefined || isForm || typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  }

  /** Returns the body of a successful answer. @throws DemoError with the `detail` of any other answer */
  async call(method: Method, path: string, request: ApiRequest = {}): Promise<unknown> {
    const route = `${method} ${path.replace(/\?.*$/, '')}`;
    const answer = await this.exchange(method, path, request).catch((error: unknown) => {
      throw new DemoError(`${route} got no answer: ${messageOf(error)}`);
    });
    if (isSuccess(answer)) return answer.body;
    const seconds = answer.headers.get('Retry-After');
    const hint = seconds === null ? '' : ` (try again in ${seconds} s)`;
    throw new DemoError(`${route} answered ${answer.status}: ${detailOf(answer.body)}${hint}`);
  }

  async isReady(): Promise<boolean> {
    return this.exchange('GET', '/health').then(isSuccess, () => false);
  }
}

export function isSuccess(answer: ApiAnswer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/** Returns the `detail` of a refusal as one line. It may be a sentence, a list of validation faults or an object. */
export function detailOf(body: unknown): string {
  const detail = isRecord(body) ? body.detail : body;
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return JSON.stringify(detail ?? null);
  return detail.map(issueOf).join('; ');
}

function issueOf(issue: unknown): string {
  if (!isRecord(issue) || !Array.isArray(issue.loc)) return JSON.stringify(issue);
  return `${issue.loc.join('.')}: ${String(issue.msg)}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a text field of an answer. @throws DemoError when the answer has no such text */
export function textOf(answer: unknown, name: string): string {
  const value = isRecord(answer) ? answer[name] : undefined;
  if (typeof value !== 'string') throw unusable(name);
  return value;
}

/** Returns a numeric field of an answer. @throws DemoError when the answer has no such number */
export function numberOf(answer: unknown, name: string): number {
  const value = isRecord(answer) ? answer[name] : undefined;
  if (typeof value !== 'number') throw unusable(name);
  return value;
}

/** @throws DemoError when the value is no array */
export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DemoError('The service answered something else than a list');
  return value;
}

function unusable(name: string): DemoError {
  return new DemoError(`The service's answer has no usable "${name}"`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
