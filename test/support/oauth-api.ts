import { randomUUID } from 'node:crypto';
import { beforeAll } from '@jest/globals';
import type { Test } from 'supertest';
import { browse, type Callback } from './browser.js';
import { type ProviderClaims, REDIRECT_URI } from './programs/oidc.mjs';
import { api, service } from './service.js';
import { logText } from './service-log.js';

export { REDIRECT_URI } from './programs/oidc.mjs';

export interface Start {
  authorization_url: string;
  state: string;
  nonce: string;
  code_verifier: string;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** The answer to every login that the provider or the service refuses. The reason is only in the log. */
export const FAILED = { detail: 'OAuth login failed' };

/** A person with an account at the provider. */
interface Person {
  readonly subject: string;
  readonly email: string;
}

/** A provider of the shared service, with the actions of its people and of a client's front end. */
class SignInProvider {
  constructor(private readonly name: 'google' | 'apple') {}

  get issuer(): string {
    return service.oauth[this.name].issuer;
  }

  get clientId(): string {
    return service.oauth[this.name].clientId;
  }

  /** Loads the provider. Its first request can take longer than the time limit of the service. */
  async ready(): Promise<void> {
    const answer = await fetch(`${this.issuer}/.well-known/openid-configuration`);
    if (answer.status !== 200) throw new Error(`the provider does not work: ${await answer.text()}`);
  }

  /** Adds a person with a verified address. */
  async addPerson(email?: string): Promise<Person> {
    return (await this.control('POST', '/people', { email })) as Person;
  }

  /** Replaces the claims of a person in the ID token. */
  async setClaims(subject: string, claims: ProviderClaims): Promise<void> {
    await this.control('PUT', `/people/${subject}`, claims);
  }

  async start(): Promise<Start> {
    const body = { provider: this.name, redirect_uri: REDIRECT_URI };
    return (await api.post('/v1/auth/oauth/authorize', body).expect(200)).body as Start;
  }

  /** Signs a person in at an authorization URL, as a browser does. */
  browse(authorizationUrl: string, subject: string): Promise<Callback> {
    return browse(authorizationUrl, { subject });
  }

  login(body: object): Test {
    return api.post('/v1/auth/oauth/login', { provider: this.name, redirect_uri: REDIRECT_URI, ...body });
  }

  /** Sends a login that fails. @returns the log messages of the service about this login */
  async failedLogin(body: object): Promise<string> {
    const requestId = randomUUID();
    await this.login(body).set('X-Request-ID', requestId).expect(401, FAILED);
    const lines = (await logText()).split('\n').filter((line) => line.includes(requestId));
    return lines.map((line) => (JSON.parse(line) as { message: string }).message).join('\n');
  }

  /** Returns the body of a valid login, for a person who has just signed in at the provider. */
  async readyLogin(subject: string): Promise<Record<string, string>> {
    const { authorization_url, nonce, code_verifier } = await this.start();
    const { code = '', state = '', iss = '' } = (await this.browse(authorization_url, subject)).parameters;
    return { code, state, iss, nonce, code_verifier };
  }

  async signIn(subject: string, more: object = {}): Promise<Tokens> {
    return (await this.login({ ...(await this.readyLogin(subject)), ...more }).expect(200)).body as Tokens;
  }

  private async control(method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> {
    const answer = await fetch(this.issuer + path, { method, body: JSON.stringify(body) });
    if (answer.status !== 200) throw new Error(`${method} ${path} is ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

export const google = new SignInProvider('google');
export const apple = new SignInProvider('apple');
beforeAll(async () => {
  await Promise.all([google.ready(), apple.ready()]);
});
