import type { Test } from 'supertest';
import type { TestApp } from './app.js';
import type { Callback } from './browser.js';
import { REDIRECT_URI, type StandIn } from './oidc-provider.js';

export type ProviderName = 'google' | 'apple';

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

/** What the front end of a client does. */
export class OAuthClient {
  constructor(
    private readonly app: TestApp,
    private readonly provider: ProviderName,
  ) {}

  async start(): Promise<Start> {
    const body = { provider: this.provider, redirect_uri: REDIRECT_URI };
    return (await this.app.request().post('/v1/auth/oauth/authorize').send(body).expect(200)).body as Start;
  }

  login(body: Record<string, unknown>): Test {
    return this.app
      .request()
      .post('/v1/auth/oauth/login')
      .send({ provider: this.provider, redirect_uri: REDIRECT_URI, ...body });
  }

  /** The body of a login that should succeed, for a person who has just signed in at the provider. */
  async ready(standIn: StandIn, subject: string): Promise<Record<string, string>> {
    const start = await this.start();
    return loginBody(start, await standIn.signIn(start.authorization_url, subject));
  }

  async signIn(standIn: StandIn, subject: string, more: Record<string, unknown> = {}): Promise<Tokens> {
    return (await this.login({ ...(await this.ready(standIn, subject)), ...more }).expect(200)).body as Tokens;
  }
}

export function loginBody(start: Start, { parameters }: Callback): Record<string, string> {
  const { code = '', state = '', iss = '' } = parameters;
  return { code, state, iss, nonce: start.nonce, code_verifier: start.code_verifier };
}
