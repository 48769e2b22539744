import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { close, listen } from './http-server.mjs';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function signingKey(kid = randomBytes(6).toString('hex')): SigningKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

export type Answer = (response: ServerResponse, form: URLSearchParams) => void | Promise<void>;

export const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };

/** An OpenID provider whose endpoints answer as a test says. */
export class HostileProvider {
  readonly key = signingKey();
  readonly clientId = 'hostile-client';
  readonly clientSecret = randomBytes(24).toString('base64url');
  /** Every requested path. */
  readonly requested: string[] = [];
  /** The newest request to the token endpoint. */
  redeemed: { readonly authorization: string | undefined; readonly form: URLSearchParams } | undefined;
  /** The issuer. */
  origin = '';
  token: Answer = json({}, 500);
  keys: Answer = json({});
  discovery: Answer = json({});
  userinfo: Answer = json({}, 404);
  private readonly server = createServer((request, response) => {
    void text(request).then((body) => {
      const form = new URLSearchParams(body);
      if (request.url === '/token') this.redeemed = { authorization: request.headers.authorization, form };
      return this.route(request.url ?? '')(response, form);
    });
  });

  private constructor() {}

  static async start(): Promise<HostileProvider> {
    const provider = new HostileProvider();
    const issuer = await listen(provider.server);
    provider.origin = issuer;
    provider.reset();
    return provider;
  }

  get env(): Record<string, string> {
    return {
      OAUTH_GOOGLE_CLIENT_ID: this.clientId,
      OAUTH_GOOGLE_CLIENT_SECRET: this.clientSecret,
      OAUTH_GOOGLE_ISSUER: this.origin,
    };
  }

  get metadata(): Record<string, string> {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize?hd=*`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
    };
  }

  /** Restores correct answers, except at the token endpoint. */
  reset(): void {
    this.discovery = json(this.metadata);
    this.publish(this.key);
    this.token = json({ error: 'invalid_grant' }, 400);
  }

  publish(...keys: SigningKey[]): void {
    this.keys = json({
      keys: keys.map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid,
        alg: 'RS256',
        use: 'sig',
      })),
    });
  }

  /** Makes the token endpoint return this ID token for any code. */
  answer(idToken: string): void {
    this.token = json({ access_token: 'x', token_type: 'Bearer', id_token: idToken });
  }

  /** Returns valid claims with changes. Undefined removes a claim. */
  claims(nonce: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    const subject = randomBytes(8).toString('hex');
    return {
      iss: this.origin,
      aud: this.clientId,
      sub: subject,
      iat: now,
      exp: now + 300,
      nonce,
      email: `${subject}@example.com`,
      email_verified: true,
      ...changes,
    };
  }

  sign(claims: Record<string, unknown>, key: SigningKey = this.key): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey);
  }

  close(): Promise<void> {
    return close(this.server);
  }

  /** The number of requests for the keys. */
  get keyFetches(): number {
    return this.requested.filter((path) => path === '/keys').length;
  }

  private route(path: string): Answer {
    this.requested.push(path);
    if (path === '/token') return this.token;
    if (path === '/userinfo') return this.userinfo;
    if (path === '/.well-known/openid-configuration') return this.discovery;
    return path === '/keys' ? this.keys : json({}, 404);
  }
}
