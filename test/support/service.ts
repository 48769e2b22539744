import { randomBytes } from 'node:crypto';
import { type Account, api } from './api.js';
import { hasDatabase, service } from './running-service.js';
import { invited, signedUp } from './sign-up.js';
import { memberOf, type Role, signedInUser } from './sql-builders/accounts.js';

export { type Account, Api, api, type Caller } from './api.js';
export { service } from './running-service.js';
export { PASSWORD } from './sql-builders/accounts.js';

/** An organization with one project and one key that reads and writes events. */
export interface Tenant {
  readonly owner: Account;
  readonly organizationId: string;
  readonly projectId: string;
  readonly projectName: string;
  /** A key that reads and writes events. */
  readonly key: { readonly id: string; readonly apiKey: string };
  /** Each call adds another account with this role in the organization and the project. */
  viewer(): Promise<Account>;
  member(): Promise<Account>;
  operator(): Promise<Account>;
  admin(): Promise<Account>;
}

/** Creates a signed-in account that belongs to no organization. */
export async function account(email = randomEmail()): Promise<Account> {
  if (!hasDatabase) return signedUp(api, email);
  const { id, refreshToken } = await signedInUser(email);
  const { body } = await api.post('/v1/auth/refresh', { refresh_token: refreshToken }).expect(200);
  const tokens = body as { access_token: string; refresh_token: string };
  return { id, email, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

/** Like {@link account}. The name says in a test that the account has no role in the tenant. */
export function outsider(): Promise<Account> {
  return account();
}

export async function tenant({ projectName = 'Web shop' } = {}): Promise<Tenant> {
  const owner = await account();
  const asOwner = api.as(owner);
  const slug = randomBytes(6).toString('hex');
  const create = async (path: string, body: object): Promise<Record<string, string>> =>
    (await asOwner.post(path, body).expect(201)).body as Record<string, string>;
  const { id: organizationId = '' } = await create('/v1/organizations', { name: 'Acme', slug });
  const project = { organization_id: organizationId, name: projectName, slug };
  const { id: projectId = '' } = await create('/v1/projects', project);
  const scopes = ['events:read', 'events:write'];
  const { id = '', key = '' } = await create('/v1/api-keys', { project_id: projectId, name: 'Test', scopes });
  const join = async (role: Role): Promise<Account> => {
    const joined = await account();
    if (hasDatabase) await memberOf({ organizationId, projectId }, joined.id, role);
    else await invited(asOwner, organizationId, role, { ...joined, api: api.as(joined) });
    return joined;
  };
  return {
    owner,
    organizationId,
    projectId,
    projectName,
    key: { id, apiKey: key },
    viewer: () => join('viewer'),
    member: () => join('member'),
    operator: () => join('operator'),
    admin: () => join('admin'),
  };
}

export function randomEmail(): string {
  return `user-${randomBytes(6).toString('hex')}@example.com`;
}

/** The background jobs that a test can run on demand. */
type JobName = 'maintenance' | 'delivery-retries' | 'alert-deliveries' | 'rule-evaluations';

/** Runs one round of a background job and waits for it. @returns the number of processed items */
export async function job(name: JobName): Promise<number> {
  const { body } = await api.post(`/internal/jobs/${name}`).set('X-Internal-Token', service.internalToken).expect(200);
  return (body as { processed: number }).processed;
}
