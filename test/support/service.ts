import { randomBytes } from 'node:crypto';
import supertest, { type Test } from 'supertest';
import { checkAnswer } from './answer-check.js';
import { hasDatabase, isOnClickHouse, service } from './running-service.js';
import { invited, signedUp } from './sign-up.js';
import { memberOf, type Role, signedInUser } from './sql-builders/accounts.js';
import { afterReplication } from './test-control.js';

export { service } from './running-service.js';
export { PASSWORD } from './sql-builders/accounts.js';

/** Whoever can send requests: a signed-in person or an API key. */
export type Caller = { readonly accessToken: string } | { readonly apiKey: string };

type Body = object | string | undefined;

/** Requests that only read events. */
const TELLS_OF_EVENTS = /^(get|post .*\/(eql|export|backtest)$)/;

/** Sends requests to the shared service, or to the one at `url`. Every answer is compared with the OpenAPI document. */
export class Api {
  constructor(
    private readonly credentials: Readonly<Record<string, string>> = {},
    private readonly url: string = service.url,
  ) {}

  /** The same, with the credentials of somebody. */
  as(caller: Caller): Api {
    return new Api(
      'accessToken' in caller ? { Authorization: `Bearer ${caller.accessToken}` } : { 'X-API-Key': caller.apiKey },
      this.url,
    );
  }

  get(path: string, query?: object): Test {
    const test = this.send('get', path);
    return query === undefined ? test : test.query(query);
  }

  head(path: string): Test {
    return this.send('head', path);
  }

  post(path: string, body?: Body): Test {
    return this.send('post', path, body);
  }

  put(path: string, body?: Body): Test {
    return this.send('put', path, body);
  }

  patch(path: string, body?: Body): Test {
    return this.send('patch', path, body);
  }

  delete(path: string, body?: Body): Test {
    return this.send('delete', path, body);
  }

  private send(method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: Body): Test {
    const test = supertest(this.url)[method](path).set(this.credentials).use(checkAnswer);
    if (isOnClickHouse && TELLS_OF_EVENTS.test(`${method} ${path}`)) test.use(afterReplication);
    return body === undefined ? test : test.send(body);
  }
}

/** Without credentials. */
export const api = new Api();

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** An organization with one project and one key that reads and writes events. */
export interface Tenant {
  readonly owner: Account;
  readonly organizationId: string;
  readonly projectId: string;
  readonly projectName: string;
  /** Reads and writes events. */
  readonly key: { readonly id: string; readonly apiKey: string };
  /** Each call adds another account with this role in the organization and the project. */
  viewer(): Promise<Account>;
  member(): Promise<Account>;
  operator(): Promise<Account>;
  admin(): Promise<Account>;
}

/** An account that belongs to no organization, signed in. */
export async function account(email = randomEmail()): Promise<Account> {
  if (!hasDatabase) return signedUp(api, email);
  const { id, refreshToken } = await signedInUser(email);
  const { body } = await api.post('/v1/auth/refresh', { refresh_token: refreshToken }).expect(200);
  const tokens = body as { access_token: string; refresh_token: string };
  return { id, email, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

/** An {@link account} under a name that says in a test that it has no role in the tenant at hand. */
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

/** The background jobs that can be run on demand. */
type JobName = 'maintenance' | 'delivery-retries' | 'alert-deliveries' | 'rule-evaluations';

/** Runs one round of a background job and waits for it. @returns how much it processed */
export async function job(name: JobName): Promise<number> {
  const { body } = await api.post(`/internal/jobs/${name}`).set('X-Internal-Token', service.internalToken).expect(200);
  return (body as { processed: number }).processed;
}
