import { inflateRawSync } from 'node:zlib';
import type { Response } from 'supertest';
import { SamlProvider } from './saml-provider.js';
import { api, randomEmail, service, tenant, type Tenant } from './service.js';
import { addSamlConnection, type SamlConnectionWish, verifySsoDomain } from './sql-builders/sso-saml.js';

/** An organization with a verified domain and a SAML connection. */
export interface Company {
  readonly tenant: Tenant;
  readonly provider: SamlProvider;
  readonly connectionId: string;
  readonly domain: string;
  readonly audience: string;
  readonly acs: string;
  /** Returns an address of the verified domain that no account has. */
  readonly newAddress: () => string;
}

/** A sign-in that has begun in a browser. */
export interface BegunSignIn {
  readonly cookie: string;
  readonly requestId: string;
  readonly relayState: string;
  /** The request as XML. */
  readonly request: string;
  /** The address at the provider. */
  readonly location: URL;
}

/** The result of a posted form as a browser sees it. */
export interface Outcome {
  readonly status: number;
  readonly location: string;
  /** The cookie of the console's session. Undefined: nobody is signed in. */
  readonly session: string | undefined;
}

export async function company(wish: Partial<SamlConnectionWish> = {}): Promise<Company> {
  const owning = await tenant();
  const provider = new SamlProvider();
  const domain = `${randomEmail().split('@')[0] ?? ''}.example.com`;
  await verifySsoDomain(owning.organizationId, domain);
  const connectionId = await addSamlConnection({
    organizationId: owning.organizationId,
    entityId: provider.entityId,
    signInUrl: provider.signInUrl,
    certificates: [provider.ec.cert, provider.rsa.cert],
    ...wish,
  });
  const own = `${service.url}/sso/saml/${connectionId}`;
  return {
    tenant: owning,
    provider,
    connectionId,
    domain,
    audience: `${own}/metadata`,
    acs: `${own}/acs`,
    newAddress: () => `${randomEmail().split('@')[0] ?? ''}@${domain}`,
  };
}

/** Begins a sign-in in a new browser. */
export async function begin(connectionId: string, query: object = {}): Promise<BegunSignIn> {
  const answer = await api.get(`/sso/saml/${connectionId}/start`, query).redirects(0).expect(303);
  const location = new URL(answer.headers['location'] as string);
  const encoded = location.searchParams.get('SAMLRequest') ?? '';
  const request = inflateRawSync(Buffer.from(encoded, 'base64')).toString();
  return {
    cookie: cookieNamed('sso_browser', answer) ?? '',
    requestId: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
    relayState: location.searchParams.get('RelayState') ?? '',
    request,
    location,
  };
}

/** Posts a form to the assertion consumer service. */
export async function post(
  acs: string,
  form: Readonly<Record<string, string>>,
  cookie: string | undefined,
): Promise<Response> {
  const path = new URL(acs).pathname;
  const request = api.post(path).type('form').redirects(0);
  if (cookie !== undefined) void request.set('Cookie', cookie);
  return request.send(form);
}

/** Posts a response to a sign-in that has begun. */
export async function answer(
  { acs }: Pick<Company, 'acs'>,
  xml: string,
  { cookie, relayState }: { readonly cookie?: string | undefined; readonly relayState?: string | undefined },
): Promise<Outcome> {
  const form = {
    SAMLResponse: Buffer.from(xml).toString('base64'),
    ...(relayState !== undefined && { RelayState: relayState }),
  };
  return outcomeOf(await post(acs, form, cookie));
}

export function outcomeOf(response: Response): Outcome {
  return {
    status: response.status,
    location: response.headers['location'] ?? '',
    session: cookieNamed('console_session', response),
  };
}

/** Returns the access token of a session of the console. */
export async function accessTokenOf({ session }: Outcome): Promise<string> {
  const { body } = await api
    .post('/console/session')
    .set('Cookie', session ?? '')
    .expect(200);
  return (body as { access_token: string }).access_token;
}

function cookieNamed(name: string, { headers }: Response): string | undefined {
  const cookies = (headers['set-cookie'] as unknown as string[] | undefined) ?? [];
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(';', 1)[0];
}
