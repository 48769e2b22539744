import { expect } from '@jest/globals';
import { Agent } from 'node:http';
import supertest, { type Test } from 'supertest';
import { checkAnswer } from './answer-check.js';
import { api, type Tenant, tenant } from './service.js';
import { service } from './running-service.js';
import { verifiedDomain } from './sql-builders/provisioning.js';

export const SCIM_TYPE = 'application/scim+json';
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export interface ScimResource {
  readonly id: string;
  readonly userName: string;
  readonly displayName?: string;
  readonly externalId?: string;
  readonly active: boolean;
  readonly name?: Readonly<Record<string, string>>;
  readonly emails?: readonly Readonly<Record<string, unknown>>[];
  readonly groups?: readonly { value: string; display: string }[];
  readonly members?: readonly { value: string; display: string }[];
  readonly meta: { readonly version: string; readonly location: string; readonly resourceType: string };
}

const connections = new Agent({ keepAlive: true });

/** Sends requests as an identity provider. Bodies are sent as `application/scim+json`, unless `type` says otherwise. */
export class ScimApi {
  constructor(
    private readonly token: string | null,
    private readonly type = SCIM_TYPE,
  ) {}

  /** Returns the same API with another media type. */
  withType(type: string): ScimApi {
    return new ScimApi(this.token, type);
  }

  get(path: string, query?: object): Test {
    const sent = this.send('get', path);
    return query === undefined ? sent : sent.query(query);
  }

  post(path: string, body: object | string): Test {
    return this.send('post', path, body);
  }

  put(path: string, body: object | string): Test {
    return this.send('put', path, body);
  }

  patch(path: string, body: object | string): Test {
    return this.send('patch', path, body);
  }

  delete(path: string): Test {
    return this.send('delete', path);
  }

  /** Applies operations to a resource. */
  operate(path: string, ...operations: object[]): Test {
    return this.patch(path, { schemas: [PATCH_SCHEMA], Operations: operations });
  }

  async made(body: object): Promise<ScimResource> {
    return bodyOf(await this.post('/Users', { schemas: [USER_SCHEMA], ...body }).expect(201));
  }

  async madeGroup(body: object): Promise<ScimResource> {
    return bodyOf(await this.post('/Groups', { schemas: [GROUP_SCHEMA], ...body }).expect(201));
  }

  async user(id: string): Promise<ScimResource> {
    return bodyOf(await this.get(`/Users/${id}`).expect(200));
  }

  async group(id: string): Promise<ScimResource> {
    return bodyOf(await this.get(`/Groups/${id}`).expect(200));
  }

  /** Returns the user names that a filter finds, in order. */
  async found(filter: string): Promise<string[]> {
    const { body } = await this.get('/Users', { filter }).expect(200);
    return (body as { Resources: ScimResource[] }).Resources.map(({ userName }) => userName).sort();
  }

  private send(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object | string): Test {
    const sent = supertest(service.url)[method](`/scim/v2${path}`).agent(connections).use(checkAnswer).buffer(true);
    sent.parse((response, done) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        (response as unknown as { text: string }).text = text;
        done(null, text === '' ? {} : (JSON.parse(text) as object));
      });
    });
    if (this.token !== null) void sent.set('Authorization', `Bearer ${this.token}`);
    if (body === undefined) return sent;
    return sent.set('Content-Type', this.type).send(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

export function bodyOf({ body }: { body: unknown }): ScimResource {
  return body as ScimResource;
}

/** Returns what an error of SCIM looks like. */
export function scimError(status: number, scimType?: string, detail: unknown = expect.any(String)): object {
  return { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType !== undefined && { scimType }), detail };
}

type Owned = Pick<Tenant, 'owner' | 'organizationId'>;

/** An organization with a verified domain and a token. */
export interface ProvisionedTenant {
  readonly tenant: Tenant;
  readonly domain: string;
  readonly scim: ScimApi;
  /** Returns an address of the domain that nobody has. */
  address(name?: string): string;
}

let addresses = 0;

export async function provisionedTenant(): Promise<ProvisionedTenant> {
  const made = await tenant();
  const domain = await verifiedDomain(made.organizationId);
  const scim = new ScimApi(await scimToken(made));
  return { tenant: made, domain, scim, address: (name = `p${(addresses += 1)}`) => `${name}@${domain}` };
}

export async function scimToken({ owner, organizationId }: Owned): Promise<string> {
  const { body } = await api
    .as(owner)
    .post(`/sso/organizations/${organizationId}/scim-tokens`, { name: 'Test' })
    .expect(201);
  return (body as { token: string }).token;
}

/** Returns the role of each member of an organization, by the id of the account. */
export async function rolesIn({ owner, organizationId }: Owned): Promise<Record<string, string>> {
  const { body } = await api.as(owner).get(`/v1/organizations/${organizationId}/members`).expect(200);
  return Object.fromEntries((body as { user_id: string; role: string }[]).map(({ user_id, role }) => [user_id, role]));
}
