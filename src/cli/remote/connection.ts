import { CommandFailure, EXIT, Refusal } from './failure.js';
import { Api, type Credentials, exchange, refusalOf } from './http.js';
import { CredentialFile } from './stored-credentials.js';

/** The options that every command for users has. */
export interface RemoteOptions {
  readonly url?: string;
  readonly token?: string;
  readonly project?: string;
  readonly allowHttp?: boolean;
  readonly json?: boolean;
}

/** An access token that expires within this time is refreshed before it is used. */
const REFRESH_AHEAD_MS = 30_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly access_expires_in: number;
}

/**
 * Returns the token of the option or the environment, without surrounding blanks.
 * @throws {CommandFailure} if the token has characters that no header can carry. The error of fetch would show the
 * token.
 */
function givenToken(options: RemoteOptions, environment: NodeJS.ProcessEnv): string | undefined {
  const token = (options.token ?? environment.OES_TOKEN)?.trim();
  return token ? sendable(token) : undefined;
}

export function sendable(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CommandFailure('The token has characters that no token has', EXIT.usage);
}

export function isKey(token: string): boolean {
  return /^oesb?_/.test(token);
}

/** Returns the address without trailing slashes. @throws {CommandFailure} if it is not a URL or not encrypted */
export function checkedAddress(text: string, { allowHttp = false }: RemoteOptions): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandFailure('The address of the service must be a URL such as https://events.example.com', EXIT.usage);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new CommandFailure('The address of the service has no user name, password, query or fragment', EXIT.usage);
  }
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLocal && !allowHttp) {
    throw new CommandFailure(
      'The address must begin with https://, since the token would be sent unencrypted. --allow-http permits it.',
      EXIT.usage,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Returns the address of the option, of the environment or of the last login. */
export async function addressOf(options: RemoteOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const given = options.url ?? environment.OES_URL;
  const address = given || (await new CredentialFile(environment).read()).current;
  if (address !== undefined) return checkedAddress(address, options);
  throw new CommandFailure('Name the service with --url or OES_URL, or sign in with "oes login"', EXIT.usage);
}

/** Connects as a person, with the given access token or the stored session. */
export async function asPerson(options: RemoteOptions, environment: NodeJS.ProcessEnv): Promise<Api> {
  const address = await addressOf(options, environment);
  const token = givenToken(options, environment);
  if (token === undefined) return new Api(address, await StoredSession.open(address, new CredentialFile(environment)));
  if (isKey(token)) {
    throw new CommandFailure('This command needs an access token: an API key can only send events', EXIT.usage);
  }
  return new Api(address, { headers: () => Promise.resolve(bearer(token)), renew: () => Promise.resolve(false) });
}

/** Returns the API key for sending: the given one, or the stored one of the service. */
export async function keyFor(address: string, options: RemoteOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const key =
    givenToken(options, environment) ?? (await new CredentialFile(environment).read()).services[address]?.api_key;
  if (key !== undefined && isKey(key)) return key;
  throw new CommandFailure(
    'Sending needs an API key with the scope events:write: set OES_TOKEN, or store one with "oes login --token"',
    EXIT.usage,
  );
}

/**
 * Returns the id of the project that the option or the environment names by id, slug or name. Without such a name,
 * returns the id of the project that the user has selected.
 */
export async function projectOf(api: Api, options: RemoteOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const wanted = options.project ?? environment.OES_PROJECT;
  if (wanted && UUID.test(wanted)) return wanted;
  if (!wanted) {
    const { selected_project_id: selected } = await api.get<{ selected_project_id: string | null }>('/v1/auth/me');
    if (selected !== null) return selected;
    throw new CommandFailure('Name the project with --project or OES_PROJECT', EXIT.usage);
  }
  const projects = await api.get<{ id: string; slug: string; name: string }[]>('/v1/projects');
  const bySlug = projects.filter(({ slug }) => slug.toLowerCase() === wanted.toLowerCase());
  const found = bySlug.length > 0 ? bySlug : projects.filter(({ name }) => name === wanted);
  if (found.length > 1) throw new CommandFailure(`Several projects are called ${wanted}: name the id`, EXIT.usage);
  if (found[0] === undefined) throw new CommandFailure(`You have no project ${wanted}`);
  return found[0].id;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The session of the last login. Its tokens are read from the file and refreshed there. */
class StoredSession implements Credentials {
  private constructor(
    private readonly address: string,
    private readonly file: CredentialFile,
    private token: string,
    private expiresAt: number,
  ) {}

  static async open(address: string, file: CredentialFile): Promise<StoredSession> {
    const { access_token: token, expires_at: expiresAt } = (await file.read()).services[address] ?? {};
    if (token === undefined) {
      throw new CommandFailure(`Sign in to ${address} with "oes login", or set OES_TOKEN`, EXIT.usage);
    }
    return new StoredSession(address, file, token, expiresAt ?? 0);
  }

  async headers(): Promise<Record<string, string>> {
    if (this.expiresAt - Date.now() < REFRESH_AHEAD_MS) await this.renew();
    return bearer(this.token);
  }

  async renew(): Promise<boolean> {
    const stored = (await this.file.read()).services[this.address] ?? {};
    // Another process may have refreshed the session since the file was read.
    const isNewer = stored.access_token !== this.token && (stored.expires_at ?? 0) - Date.now() > REFRESH_AHEAD_MS;
    if (isNewer && stored.access_token !== undefined) {
      this.use(stored.access_token, stored.expires_at ?? 0);
      return true;
    }
    if (stored.refresh_token === undefined) return false;
    const answer = await exchange(this.address, {
      method: 'POST',
      path: '/v1/auth/refresh',
      body: { refresh_token: stored.refresh_token },
    });
    if (answer.status === 401) throw new Refusal(401, 'Your session has ended. Sign in again with "oes login".');
    if (answer.status !== 200) throw refusalOf(answer);
    const tokens = storedTokens(answer.body as TokenAnswer);
    await this.file.store(this.address, tokens);
    this.use(tokens.access_token, tokens.expires_at);
    return true;
  }

  private use(token: string, expiresAt: number): void {
    this.token = token;
    this.expiresAt = expiresAt;
  }
}

export function storedTokens(tokens: TokenAnswer): { access_token: string; refresh_token: string; expires_at: number } {
  const { access_token, refresh_token, access_expires_in: seconds } = tokens;
  return { access_token, refresh_token, expires_at: Date.now() + seconds * 1000 };
}
