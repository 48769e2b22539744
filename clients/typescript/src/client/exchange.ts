import type { CallOptions, OperationName } from './contract.js';
import { Refusal, UnexpectedAnswer } from './refusal.js';
import { type AnyArguments, addressOf, bodyOf, isGiven, type Route, routeOf } from './request.js';
import { Session, type Tokens } from './session.js';
import { askedWaitMs, backoffMs, pause, unlessAborted } from './waiting.js';

export interface ClientOptions {
  /** Of the service, such as `https://events.example.com`. */
  readonly url: string;
  /** Of somebody who signs in. Left out: it lives as long as the client. */
  readonly session?: Session | undefined;
  /** Of a project or an Event Source, for the operations of programs. */
  readonly apiKey?: string | undefined;
  /** For whoever operates the service. */
  readonly internalToken?: string | undefined;
  /** How often a request that was refused with 429 and told when to come again is sent again: 3 times. */
  readonly retries?: number | undefined;
  /** A refusal that asks to wait for longer is told at once: 60 seconds. */
  readonly longestWaitMs?: number | undefined;
  /** For one answer, of files and streams their beginning: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * In place of the operation `refreshSession`, for whoever keeps refresh tokens where the client does not see them. Told what was
   * refused; resolves with null when the session has ended.
   */
  readonly refresh?: ((refused: Tokens) => Promise<Tokens | null>) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** How often a refresh is sent whose answer was lost; the service takes the same token again for 10 seconds. */
const REFRESH_TRIES = 3;
/** What an access token that has expired, or whose session has ended, is refused with. */
const NOT_AUTHENTICATED = 'Not authenticated';

/** One attempt: its answer, and the tokens it was sent with. */
interface Attempt {
  readonly response: Response;
  readonly body: unknown;
  readonly tokens: Tokens | null;
}

/** Asks for operations: with credentials, once more after a refresh, and again after 429. */
export class Exchange {
  private readonly session: Session;
  private readonly url: string;
  private readonly retries: number;
  private readonly longestWaitMs: number;

  constructor(private readonly options: ClientOptions) {
    this.session = options.session ?? new Session();
    this.url = options.url.replace(/\/+$/, '');
    this.retries = options.retries ?? 3;
    this.longestWaitMs = options.longestWaitMs ?? 60_000;
  }

  /** @returns the JSON of the answer, undefined without one, a `Response` of another media type */
  async ask(operation: OperationName, args: AnyArguments = {}, options: CallOptions = {}): Promise<unknown> {
    const route = routeOf(operation);
    let isRenewed = false;
    for (let retries = this.retries; ;) {
      const { response, body, tokens } = await this.attempt(operation, route, args, options.signal);
      if (isTaken(response)) {
        this.keep(route, body);
        return body;
      }
      const refusal = refusalOf(operation, response, body);
      if (bodyOf(route, args).isSentOnce === true) throw refusal;
      if (refusal.detail === NOT_AUTHENTICATED && tokens !== null && !isRenewed) {
        isRenewed = true;
        if ((await this.renewed(tokens, options.signal)) !== null) continue;
      }
      const wait = response.status === 429 ? (askedWaitMs(response.headers) ?? Infinity) : Infinity;
      if (wait > this.longestWaitMs || retries === 0) throw refusal;
      retries -= 1;
      await pause(wait, options.signal);
    }
  }

  private async attempt(
    operation: OperationName,
    route: Route,
    args: AnyArguments,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const tokens = route.access === 'bearer' || route.access === 'either' ? this.session.tokens : null;
    const { body: sent, type, isSentOnce = false } = bodyOf(route, args);
    const headers = new Headers(this.credentials(route, tokens));
    if (type !== undefined) headers.set('Content-Type', type);
    for (const [name, value] of Object.entries(args.header ?? {})) {
      if (isGiven(value)) headers.set(name, String(value));
    }
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new DOMException('The answer took too long', 'TimeoutError')),
      this.options.timeoutMs ?? 30_000,
    );
    try {
      const init: RequestInit = {
        method: route.method,
        headers,
        credentials: 'omit',
        // A redirect would take the key elsewhere.
        redirect: 'error',
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
        ...(sent !== undefined && { body: sent }),
        // Node demands it of streams, and its types do not know it of requests.
        ...(isSentOnce && { duplex: 'half' }),
      };
      const fetch = this.options.fetch ?? globalThis.fetch;
      const response = await fetch(addressOf(this.url, route, args), init);
      return { response, body: await bodyOfAnswer(operation, response), tokens };
    } finally {
      clearTimeout(timer);
    }
  }

  private credentials({ access }: Route, tokens: Tokens | null): Record<string, string> {
    const { apiKey, internalToken } = this.options;
    if (tokens !== null) return { Authorization: `Bearer ${tokens.access_token}` };
    if (access === 'internal' && internalToken !== undefined) return { 'X-Internal-Token': internalToken };
    if ((access === 'key' || access === 'either') && apiKey !== undefined) return { 'X-API-Key': apiKey };
    return {};
  }

  /** A sign-in is kept, a sign-out too. */
  private keep({ template }: Route, body: unknown): void {
    if (template === '/v1/auth/logout') this.session.set(null);
    if (template.startsWith('/v1/auth/') && template !== '/v1/auth/refresh' && isTokens(body)) this.session.set(body);
  }

  /** The refresh is nobody's: whoever stops waiting for it does not stop it for others. */
  private renewed(refused: Tokens, signal: AbortSignal | undefined): Promise<Tokens | null> {
    return unlessAborted(
      this.session.renew(refused, (refreshToken) => this.options.refresh?.(refused) ?? this.refresh(refreshToken)),
      signal,
    );
  }

  private async refresh(refreshToken: string): Promise<Tokens | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await this.ask('refreshSession', { body: { refresh_token: refreshToken } });
        return answer as Tokens;
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) return null;
        if (error instanceof Refusal || tries === REFRESH_TRIES) throw error;
        await pause(backoffMs(tries), undefined);
      }
    }
  }
}

/** 304: what somebody has is as it was. */
function isTaken({ ok, status }: Response): boolean {
  return ok || status === 304;
}

async function bodyOfAnswer(operation: OperationName, response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('Content-Type') ?? '';
  if (/^application\/json\b/.test(type) && response.status !== 304) {
    // An answer that breaks off rejects with the error of `fetch`.
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new UnexpectedAnswer(operation, response.status, response.headers, { cause });
    }
  }
  if (isTaken(response)) return response;
  await response.body?.cancel();
  return undefined;
}

function refusalOf(operation: OperationName, { status, headers }: Response, body: unknown): Refusal {
  if (body === null || typeof body !== 'object') throw new UnexpectedAnswer(operation, status, headers);
  return new Refusal(operation, status, 'detail' in body ? body.detail : body, headers);
}

function isTokens(body: unknown): body is Tokens {
  const { access_token, refresh_token } = (body ?? {}) as Partial<Tokens>;
  return typeof access_token === 'string' && typeof refresh_token === 'string';
}
