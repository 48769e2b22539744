import type { Test } from 'supertest';
import type { TestApp } from './app.js';
import { REDIRECT_URI } from './oidc-provider.js';

export interface Start {
  authorization_url: string;
  state: string;
  nonce: string;
  code_verifier: string;
}

/** The actions of a client's front end. */
export class OAuthClient {
  constructor(
    private readonly app: TestApp,
    private readonly provider: 'google' | 'apple',
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
}
