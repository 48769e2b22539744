// Certified OpenID providers that stand in for Google and Apple.
import { generateKeyPair, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { close, listen } from '../http-server.mjs';

export const REDIRECT_URI = 'https://app.example.com/oauth/callback';

const newKeyPair = promisify(generateKeyPair);

/**
 * Starts the providers for a service in a process of its own.
 *
 * @param {(() => Promise<void>)[]} stops collects the functions that stop the providers at the end of the run
 * @returns the environment of the service, the settings that specs need, and `servedAt`, which tells the providers of
 *   companies the address of the service
 */
export async function startProviders(stops) {
  const [google, apple, acme, globex] = await Promise.all([
    startGoogle(),
    startApple(),
    startCompany('acme'),
    startCompany('globex'),
  ]);
  for (const provider of [google, apple, acme, globex]) stops.push(() => provider.close());
  return {
    env: {
      ...google.env,
      ...apple.env,
      ...acme.env,
      ...globex.env,
      OIDC_ACME_LABEL: 'Acme',
      OIDC_ACME_ICON: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
      OIDC_ACME_ORGANIZATION: 'acme-of-provider',
      OIDC_ACME_ROLE: 'member',
      OIDC_ACME_GROUPS:
        'On-call=acme-of-provider:operator,Admins=acme-of-provider:admin,Others=other-of-provider:operator',
      OIDC_GLOBEX_ALLOWED_DOMAINS: 'globex.example,bücher.example',
      OIDC_GLOBEX_TRUST_EMAIL: 'true',
    },
    servedAt: (url) => {
      acme.servedAt(url);
      globex.servedAt(url);
    },
    sso: { acme: { issuer: acme.issuer }, globex: { issuer: globex.issuer } },
    oauth: {
      google: {
        issuer: google.issuer,
        clientId: google.clientId,
        clientSecret: google.env.OAUTH_GOOGLE_CLIENT_SECRET,
      },
      apple: { issuer: apple.issuer, clientId: apple.clientId },
    },
  };
}

/** A provider like Google: it requires PKCE and compares a fixed client secret. */
export async function startGoogle(redirectUri = REDIRECT_URI) {
  const [clientId, clientSecret] = ['service.apps.example.com', randomBytes(24).toString('base64url')];
  const standIn = await start({
    clientId,
    clientSecret,
    redirectUri,
    verified: true,
    configuration: {
      scopes: ['openid', 'email', 'profile'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => true },
    },
  });
  return {
    ...standIn,
    env: {
      OAUTH_GOOGLE_CLIENT_ID: clientId,
      OAUTH_GOOGLE_CLIENT_SECRET: clientSecret,
      OAUTH_GOOGLE_ISSUER: standIn.issuer,
    },
  };
}

/**
 * A provider like Apple: it does not require PKCE, and the client secret must be a fresh token that the key of the team
 * has signed.
 */
export async function startApple(redirectUri = REDIRECT_URI) {
  const [clientId, teamId, keyId] = ['com.example.service', 'TEAM123456', 'KEY7890123'];
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const standIn = await start({
    clientId,
    clientSecret: randomBytes(24).toString('base64url'),
    redirectUri,
    verified: 'true',
    configuration: {
      scopes: ['openid', 'email', 'name'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      pkce: { required: () => false },
    },
    isClientSecret: async (secret, issuer) => {
      const { decodeProtectedHeader, jwtVerify } = await import('jose');
      const checks = { algorithms: ['ES256'], issuer: teamId, subject: clientId, audience: issuer, maxTokenAge: 60 };
      const { payload } = await jwtVerify(secret, publicKey, { ...checks, requiredClaims: ['exp'] });
      const life = (payload.exp ?? Infinity) - (payload.iat ?? 0);
      return decodeProtectedHeader(secret).kid === keyId && life <= 15_777_000;
    },
  });
  return {
    ...standIn,
    env: {
      OAUTH_APPLE_CLIENT_ID: clientId,
      OAUTH_APPLE_TEAM_ID: teamId,
      OAUTH_APPLE_KEY_ID: keyId,
      // Environments usually hold the key on one line.
      OAUTH_APPLE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
      OAUTH_APPLE_ISSUER: standIn.issuer,
    },
  };
}

/**
 * A provider of a company: it lists groups, ends sessions by back-channel logout, and has a page to sign out. It accepts
 * the redirect URIs of every service on this machine.
 *
 * @param name the name in the configuration of the service
 */
export async function startCompany(name) {
  const [clientId, clientSecret] = ['events', randomBytes(24).toString('base64url')];
  let service = 'http://127.0.0.1:1';
  const standIn = await start({
    clientId,
    clientSecret,
    redirectUri: `http://127.0.0.1/sso/oidc/${name}/callback`,
    verified: true,
    configuration: {
      scopes: ['openid', 'email', 'profile'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      pkce: { required: () => true },
      // The package refuses addresses of this machine, by a dispatcher.
      fetch: (url, options) => globalThis.fetch(url, { ...options, dispatcher: undefined }),
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx, form) => {
            ctx.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
          },
        },
      },
    },
    client: () => ({
      token_endpoint_auth_method: 'client_secret_basic',
      backchannel_logout_uri: `${service}/sso/oidc/${name}/backchannel-logout`,
      backchannel_logout_session_required: true,
    }),
    isRedirectUri: (uri) =>
      /^http:\/\/(127\.0\.0\.1|localhost):\d+\/(sso\/oidc\/[\w-]+\/callback|console\/login)$/.test(uri),
  });
  const variable = `OIDC_${name.toUpperCase()}`;
  return {
    ...standIn,
    clientSecret,
    /** Must be called before the first request. */
    servedAt: (url) => {
      service = url;
    },
    env: {
      [`${variable}_ISSUER`]: standIn.issuer,
      [`${variable}_CLIENT_ID`]: clientId,
      [`${variable}_CLIENT_SECRET`]: clientSecret,
    },
  };
}

/**
 * Listens at once. The first request, or `ready`, loads the package. Loading takes a second on a slow machine, and most
 * runs need no provider.
 *
 * Other processes add a person with `POST /people` and `{ email }` or `{}`; the answer is `{ subject, email, claims }`.
 * `PUT /people/<subject>` replaces the claims of a person.
 */
async function start(settings) {
  const { clientId, clientSecret, redirectUri, verified, configuration, isClientSecret } = settings;
  const { client = () => ({}), isRedirectUri } = settings;
  const people = new Map();
  const addPerson = (email = `user-${randomBytes(6).toString('hex')}@example.com`) => {
    const subject = randomBytes(8).toString('hex');
    const claims = { email, email_verified: verified, name: 'Ada Lovelace' };
    people.set(subject, claims);
    return { subject, email, claims };
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain' });
      response.end(`${error.stack ?? error}`);
    });
  });
  const issuer = await listen(server);
  // A run that ends without stopping its servers must still exit.
  server.unref();

  let made;
  const provider = () =>
    (made ??= createProvider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
          ...client(),
        },
      ],
      findAccount: (_, subject) => ({
        accountId: subject,
        claims: () => ({ sub: subject, ...people.get(subject) }),
      }),
      ...configuration,
    }).then((created) => {
      if (isClientSecret !== undefined)
        created.Client.prototype.compareClientSecret = (secret) => isClientSecret(secret, issuer);
      if (isRedirectUri !== undefined) {
        created.Client.prototype.redirectUriAllowed = isRedirectUri;
        created.Client.prototype.postLogoutRedirectUriAllowed = isRedirectUri;
      }
      return { created, handle: created.callback() };
    }));

  async function answer(request, response) {
    const [, folder, subject] = new URL(request.url ?? '/', issuer).pathname.split('/');
    if (folder === 'people') {
      const body = await json(request);
      const person = request.method === 'PUT' ? { claims: body } : addPerson(body.email);
      if (request.method === 'PUT') people.set(subject, body);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(person));
      return;
    }
    const { created, handle } = await provider();
    if (folder === 'interaction') await interact(created, request, response);
    else handle(request, response);
  }

  return {
    issuer,
    clientId,
    people,
    addPerson,
    ready: async () => void (await provider()),
    close: () => close(server),
  };
}

async function createProvider(issuer, configuration) {
  const { Provider } = await loadPackage();
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2048 });
  const settings = {
    cookies: { keys: [randomBytes(24).toString('hex')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    // Google and Apple put the address into the ID token itself.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope('openid email profile name');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    ...configuration,
  };
  const restore = silenceWarnings();
  try {
    return new Provider(issuer, settings);
  } finally {
    restore();
  }
}

/**
 * All providers of a process share one import of the package, so that no two of them silence the console at the same
 * time.
 */
let loading;

function loadPackage() {
  if (loading === undefined) {
    const restore = silenceWarnings();
    loading = import('oidc-provider').finally(restore);
  }
  return loading;
}

/**
 * Suppresses the package's warnings that its memory store and an older Node are not for production. @returns a function
 * that restores the console
 */
function silenceWarnings() {
  const { warn } = console;
  console.warn = () => undefined;
  return () => {
    console.warn = warn;
  };
}

/** The sign-in page of the provider. It signs in the named person. */
async function interact(provider, request, response) {
  if (request.method !== 'POST') {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<form method="post" action="${request.url ?? ''}"><input name="subject"></form>`);
    return;
  }
  const accountId = new URLSearchParams(await text(request)).get('subject');
  await provider.interactionFinished(request, response, { login: { accountId } });
}
