import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Context, Provider } from 'oidc-provider';
import { randomEmail } from './actors.js';
import { browse, type Callback } from './browser.js';
import { close, listen } from './http-server.js';

export const REDIRECT_URI = 'https://app.example.com/oauth/callback';

/** What the ID token of a subject says; Apple's flag is text. */
export interface ProviderClaims {
  email?: string;
  email_verified?: boolean | string;
  name?: string;
}

/** A certified OpenID provider in the place of Google or Apple. */
export interface StandIn {
  readonly issuer: string;
  readonly clientId: string;
  /** The names of the configuration that switch it on. */
  readonly env: Record<string, string>;
  /** People by subject. */
  readonly people: Map<string, ProviderClaims>;
  /** Somebody with a verified address. */
  addPerson(email?: string): { subject: string; email: string };
  /** Signs a person in at an authorization URL, as a browser does. */
  signIn(authorizationUrl: string, subject: string): Promise<Callback>;
  close(): Promise<void>;
}

/** As Google: insists on PKCE and compares a fixed client secret. */
export async function startGoogle(redirectUri = REDIRECT_URI): Promise<StandIn> {
  const [clientId, clientSecret] = ['service.apps.example.com', randomBytes(24).toString('base64url')];
  const standIn = await start(clientId, clientSecret, {
    redirectUri,
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    verified: true,
  });
  const { issuer } = standIn;
  return {
    ...standIn,
    env: {
      OAUTH_GOOGLE_CLIENT_ID: clientId,
      OAUTH_GOOGLE_CLIENT_SECRET: clientSecret,
      OAUTH_GOOGLE_ISSUER: issuer,
    },
  };
}

/** As Apple: no demand for PKCE, and a client secret that must be a fresh token of the team's key. */
export async function startApple(redirectUri = REDIRECT_URI): Promise<StandIn> {
  const [clientId, teamId, keyId] = ['com.example.service', 'TEAM123456', 'KEY7890123'];
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const standIn = await start(clientId, randomBytes(24).toString('base64url'), {
    redirectUri,
    scopes: ['openid', 'email', 'name'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => false },
    verified: 'true',
  });
  const { issuer } = standIn;
  standIn.provider.Client.prototype.compareClientSecret = async (secret) => {
    const checks = { algorithms: ['ES256'], issuer: teamId, subject: clientId, audience: issuer, maxTokenAge: 60 };
    const { payload } = await jwtVerify(secret, publicKey, { ...checks, requiredClaims: ['exp'] });
    const life = (payload.exp ?? Infinity) - (payload.iat ?? 0);
    return decodeProtectedHeader(secret).kid === keyId && life <= 15_777_000;
  };
  return {
    ...standIn,
    env: {
      OAUTH_APPLE_CLIENT_ID: clientId,
      OAUTH_APPLE_TEAM_ID: teamId,
      OAUTH_APPLE_KEY_ID: keyId,
      // On one line, as environments mostly hold it.
      OAUTH_APPLE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
      OAUTH_APPLE_ISSUER: issuer,
    },
  };
}

type Started = Omit<StandIn, 'env'> & { provider: Provider };

interface Differences {
  readonly redirectUri: string;
  readonly verified: boolean | string;
  readonly [name: string]: unknown;
}

async function start(clientId: string, clientSecret: string, differences: Differences): Promise<Started> {
  const { redirectUri, verified, ...configuration } = differences;
  const { Provider } = await quietly(() => import('oidc-provider'));
  const server = createServer();
  const issuer = await listen(server);
  const people = new Map<string, ProviderClaims>();
  const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const settings = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: [randomBytes(24).toString('hex')] },
    jwks: { keys: [{ ...signingKey, use: 'sig', alg: 'RS256' }] },
    // Google and Apple put the address into the ID token itself.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...people.get(subject) }),
    }),
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope('openid email profile name');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    ...configuration,
  };
  const provider = await quietly(async () => new Provider(issuer, settings));
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) void interact(provider, request, response);
    else handle(request, response);
  });
  return {
    provider,
    issuer,
    clientId,
    people,
    addPerson: (email = randomEmail()) => {
      const subject = randomBytes(8).toString('hex');
      people.set(subject, { email, email_verified: verified, name: 'Ada Lovelace' });
      return { subject, email };
    },
    signIn: (url, subject) => browse(url, { subject }),
    close: () => close(server),
  };
}

/** The package warns on the console that memory and an older Node are not for production. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    return await work();
  } finally {
    warnings.mockRestore();
  }
}

/** The provider's sign-in page: whoever is named is signed in. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<form method="post" action="${request.url ?? ''}"><input name="subject"></form>`);
    return;
  }
  const accountId = new URLSearchParams(await text(request)).get('subject');
  await provider.interactionFinished(request, response, { login: { accountId } });
}
