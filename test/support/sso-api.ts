import { browse } from './browser.js';
import type { ProviderClaims } from './programs/oidc.mjs';
import { service } from './service.js';

/** The result of a redirect: the address that the service sends the browser to. */
export interface Redirect {
  readonly status: number;
  readonly location: URL;
}

/** A browser that has the cookies of the service, and follows no redirect by itself. */
export class PlainBrowser {
  private readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

  /**
   * @param atProvider the cookies of the provider. Browsers that share them share the session at the provider. By
   *   default every sign-in begins a session there
   */
  constructor(private readonly atProvider?: Map<string, string>) {}

  /** Sends a request with the cookies of the path, and keeps those of the answer. */
  async request(path: string, options: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(path, service.url);
    const sent = [...this.cookies].filter(([, cookie]) => pathname.startsWith(cookie.path));
    const response = await fetch(new URL(path, service.url), {
      ...options,
      headers: { ...options.headers, Cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      const path = /; Path=([^;]+)/i.exec(header)?.[1] ?? '/';
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
    return response;
  }

  /** Opens an address that redirects. */
  async go(path: string): Promise<Redirect> {
    const response = await this.request(path);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${path} is ${response.status}: ${await response.text()}`);
    return { status: response.status, location: new URL(location, service.url) };
  }

  /** Starts a sign-in. @returns the authorization URL at the provider */
  async start(provider: string, returnTo?: string): Promise<URL> {
    const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`;
    return (await this.go(`/sso/oidc/${provider}/start${query}`)).location;
  }

  /** Signs a person in at the provider. @returns the path of the callback with its parameters */
  async authorize(url: URL, subject: string): Promise<string> {
    const { url: callback, parameters } = await browse(url.toString(), { subject }, this.atProvider);
    return `${new URL(callback).pathname}?${new URLSearchParams(parameters).toString()}`;
  }

  /** Signs a person in by a provider, from start to end. @returns where the browser is sent in the end */
  async signIn(provider: string, subject: string, returnTo?: string): Promise<URL> {
    return (await this.go(await this.authorize(await this.start(provider, returnTo), subject))).location;
  }

  /** Returns the access token of the session in the console, or null when nobody is signed in. */
  async accessToken(): Promise<string | null> {
    const response = await this.request('/console/session', { method: 'POST' });
    return response.status === 204 ? null : ((await response.json()) as { access_token: string }).access_token;
  }

  /** Signs out. @returns where the browser goes on to, or null */
  async signOut(): Promise<URL | null> {
    const response = await this.request('/console/session', { method: 'DELETE' });
    if (response.status === 204) return null;
    return new URL(((await response.json()) as { continue_at: string }).continue_at);
  }
}

/** Ends the session at the provider, and confirms that. @returns where the provider sends the browser */
export async function signOutAt(endSession: URL, atProvider: Map<string, string>): Promise<string> {
  return (await browse(endSession.toString(), { logout: 'yes' }, atProvider)).url;
}

/** A provider of the configuration, with the actions of its administrator. */
export class CompanyPeople {
  constructor(private readonly name: 'acme' | 'globex') {}

  get issuer(): string {
    return service.sso[this.name].issuer;
  }

  /** Loads the provider. Its first request can take longer than the time limit of the service. */
  async ready(): Promise<void> {
    const answer = await fetch(`${this.issuer}/.well-known/openid-configuration`);
    if (answer.status !== 200) throw new Error(`the provider does not work: ${await answer.text()}`);
  }

  /** Adds a person with a verified address, and these claims in addition. */
  async add(claims: ProviderClaims = {}): Promise<{ subject: string; email: string }> {
    const added = (await this.control('POST', '/people', { email: claims.email })) as {
      subject: string;
      claims: ProviderClaims;
    };
    await this.change(added.subject, { ...added.claims, ...claims });
    return { subject: added.subject, email: claims.email ?? added.claims.email ?? '' };
  }

  /** Replaces the claims of a person. */
  async change(subject: string, claims: ProviderClaims): Promise<void> {
    await this.control('PUT', `/people/${subject}`, claims);
  }

  private async control(method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> {
    const answer = await fetch(this.issuer + path, { method, body: JSON.stringify(body) });
    if (answer.status !== 200) throw new Error(`${method} ${path} is ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
