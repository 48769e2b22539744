import { randomBytes, randomInt } from 'node:crypto';
import { type ApiClient, numberOf, textOf } from './api-client.js';
import { DemoError } from './demo-error.js';
import type { Mailbox } from './mailbox.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** A new account with everything that it needs to send events: an organization, a project and an API key. */
export interface Workspace extends Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKey: string;
}

const MAIL_LIMIT_MS = 10_000;
/** A token that expires within this time is not used any more. */
const TOKEN_MARGIN_MS = 5_000;

/** Returns a random address, which no account has. */
export function newAddress(): string {
  return `demo-${randomInt(10 ** 11, 10 ** 12)}@example.com`;
}

/** Registers an address and verifies it with the mail that the service has captured. @throws DemoError */
export async function registerVerified(
  client: ApiClient,
  mailbox: Mailbox,
  outbox: string,
  email = newAddress(),
): Promise<Credentials> {
  const password = randomBytes(18).toString('base64url');
  await client.call('POST', '/v1/auth/register', { body: { email, password, name: 'Demo' } });
  const token = await mailbox.waitForToken(email, MAIL_LIMIT_MS);
  if (token === null) throw new DemoError(noMail(email, outbox));
  await client.call('POST', '/v1/auth/verify-email', { body: { email, token } });
  return { email, password };
}

function noMail(email: string, outbox: string): string {
  return [
    `The account ${email} is registered, but its verification mail has not appeared in ${outbox}.`,
    '- If the service keeps its files elsewhere, name that folder: npm run demo -- --data-dir FOLDER',
    '- If the service sends its mail by SMTP (SMTP_URL), the demo cannot read it: run the demo against a service',
    '  without SMTP_URL.',
  ].join('\n');
}

/** A signed-in person. Signs in again when the access token has expired. */
export class SignIn {
  private token = '';
  private expiresAt = 0;

  constructor(
    private readonly client: ApiClient,
    private readonly credentials: Credentials,
  ) {}

  /** Returns the header that authenticates a request. @throws DemoError when signing in is refused */
  async header(): Promise<{ Authorization: string }> {
    if (Date.now() >= this.expiresAt - TOKEN_MARGIN_MS) await this.login();
    return { Authorization: `Bearer ${this.token}` };
  }

  private async login(): Promise<void> {
    const { email, password } = this.credentials;
    const body = new URLSearchParams({ username: email, password });
    const answer = await this.client.call('POST', '/v1/auth/login', { body });
    this.token = textOf(answer, 'access_token');
    this.expiresAt = Date.now() + numberOf(answer, 'access_expires_in') * 1000;
  }
}

/** Creates an organization, a project and a key that may read and write. @throws DemoError when one is refused */
export async function createWorkspace(client: ApiClient, signIn: SignIn, credentials: Credentials): Promise<Workspace> {
  const create = async (path: string, body: object): Promise<unknown> =>
    client.call('POST', path, { headers: await signIn.header(), body });
  // The slug is unique because the address is unique.
  const slug = credentials.email.replace(/@.*$/, '');
  const organizationId = textOf(await create('/v1/organizations', { name: 'Demo', slug }), 'id');
  const project = { organization_id: organizationId, name: 'Demo shop', slug: 'shop' };
  const projectId = textOf(await create('/v1/projects', project), 'id');
  const key = { project_id: projectId, name: 'Demo key', scopes: ['events:read', 'events:write'] };
  const apiKey = textOf(await create('/v1/api-keys', key), 'key');
  return { ...credentials, organizationId, projectId, apiKey };
}
