import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ERROR_SCHEMA,
  type ProvisionedTenant,
  provisionedTenant,
  SCIM_TYPE,
  ScimApi,
  scimError,
} from '../../support/scim-api.js';
import { account, type Account, api, service } from '../../support/service.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';
import { ageTokenUses, expireTokens, storedTokens } from '../../support/sql-builders/provisioning.js';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly last_used_at: string | null;
}

const MAX_TOKENS = 10;
const UNAUTHENTICATED = scimError(401, undefined, 'Not authenticated');

let acme: ProvisionedTenant;

beforeAll(async () => {
  acme = await provisionedTenant();
});

const path = (of: ProvisionedTenant = acme) => `/sso/organizations/${of.tenant.organizationId}/scim-tokens`;
const create = (name = 'Okta', of = acme) => api.as(of.tenant.owner).post(path(of), { name });
const created = async (of = acme) => (await create('Okta', of).expect(201)).body as Token;
const listed = async (of = acme) => (await api.as(of.tenant.owner).get(path(of)).expect(200)).body as Token[];
const revoke = (id: string, of = acme) => api.as(of.tenant.owner).delete(`${path(of)}/${id}`);
const opens = async (token: string) => (await new ScimApi(token).get('/Users')).status;

describe('A provisioning token', () => {
  it('is shown once, and stored as a hash', async () => {
    const made = await created();
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Okta',
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
      token: expect.stringMatching(/^oes_scim_[0-9A-Za-z]{43}$/),
    });
    const { token, ...shown } = made;
    expect(await listed()).toContainEqual(shown);
    const stored = await storedTokens(acme.tenant.organizationId);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(token.slice('oes_scim_'.length));
  });

  it('is replaced while two are valid, and ends with the next request after its revocation', async () => {
    const [first, second] = [await created(), await created()];
    expect([await opens(first.token), await opens(second.token)]).toEqual([200, 200]);
    await revoke(first.id).expect(204);
    expect([await opens(first.token), await opens(second.token)]).toEqual([401, 200]);
    expect((await revoke(first.id).expect(404)).body).toEqual({ detail: 'Provisioning token not found' });
    expect((await listed()).map(({ id }) => id)).not.toContain(first.id);
  });

  it('is refused beyond ten, also when requests race', async () => {
    const own = await provisionedTenant();
    const answers = await Promise.all(Array.from({ length: MAX_TOKENS + 2 }, () => create('Race', own)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body as object])).toEqual(
      Array.from({ length: 3 }, () => [409, { detail: 'Too many provisioning tokens' }]),
    );
    expect(await listed(own)).toHaveLength(MAX_TOKENS);
  });

  it('can be made and revoked by the owner, and listed by admins', async () => {
    const [admin, viewer, stranger] = [await acme.tenant.admin(), await acme.tenant.viewer(), await account()];
    const statuses = (of: Account, id: string) =>
      Promise.all(
        [api.as(of).get(path()), api.as(of).post(path(), { name: 'x' }), api.as(of).delete(`${path()}/${id}`)].map(
          (request) => request.then(({ status }) => status),
        ),
      );
    const { id } = await created();
    expect(await statuses(admin, id)).toEqual([200, 403, 403]);
    expect(await statuses(viewer, id)).toEqual([403, 403, 403]);
    expect(await statuses(stranger, id)).toEqual([403, 403, 403]);
    expect((await api.get(path())).status).toBe(401);
  });

  it('cannot be revoked by the owner of another organization', async () => {
    const other = await provisionedTenant();
    const { id, token } = await created();
    await revoke(id, other).expect(404);
    expect(await opens(token)).toBe(200);
  });

  it('returns 401 and is no longer listed after it expires, and returns 422 for a past expiry', async () => {
    const own = await provisionedTenant();
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await api
      .as(own.tenant.owner)
      .post(path(own), { name: 'Short', expires_at: inAnHour })
      .expect(201);
    const { token, ...made } = body as Token & { expires_at: string };
    expect(made.expires_at).toBe(inAnHour);
    expect(await opens(token)).toBe(200);
    await expireTokens(own.tenant.organizationId);
    expect(await opens(token)).toBe(401);
    expect(await listed(own)).toEqual([]);
    for (const bad of ['2020-01-01T00:00:00Z', 'soon'])
      await api.as(own.tenant.owner).post(path(own), { name: 'x', expires_at: bad }).expect(422);
  });

  it('names its last use, which is written once a minute at most', async () => {
    const own = await provisionedTenant();
    const use = async () => {
      await own.scim.get('/Users').expect(200);
      return (await listed(own))[0]?.last_used_at;
    };
    const first = await use();
    expect(first).toEqual(expect.any(String));
    expect(await use()).toBe(first);
    await ageTokenUses(own.tenant.organizationId);
    expect(Date.parse((await use()) ?? '')).toBeGreaterThan(Date.parse(first ?? '') - 1);
  });

  it('is recorded in the audit log when it is made and revoked', async () => {
    const own = await provisionedTenant();
    const { id, token } = await created(own);
    await revoke(id, own).expect(204);
    const entries = (await organizationAudit(own.tenant.organizationId)).filter(({ target_id }) => target_id === id);
    expect(entries.map(({ action, actor_user_id }) => [action, actor_user_id])).toEqual([
      ['scim_token.created', own.tenant.owner.id],
      ['scim_token.revoked', own.tenant.owner.id],
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('is dead when the organization is deleted', async () => {
    const own = await provisionedTenant();
    const { token } = await created(own);
    await api.as(own.tenant.owner).post(`/v1/projects/${own.tenant.projectId}/archive`, {}).expect(200);
    await api.as(own.tenant.owner).delete(`/v1/projects/${own.tenant.projectId}`).expect(204);
    const body = { current_password: 'correct-horse-battery', delete_organizations: true };
    await api.as(own.tenant.owner).post('/v1/account/delete', body).expect(200);
    expect(await opens(token)).toBe(401);
  });

  it('opens nothing outside of SCIM, and other credentials open nothing in it', async () => {
    const { token } = await created();
    expect((await api.as({ accessToken: token }).get('/v1/auth/me')).status).toBe(401);
    expect((await api.as({ apiKey: token }).get('/v1/api-keys/me')).status).toBe(401);
    for (const other of [acme.tenant.owner.accessToken, acme.tenant.key.apiKey, `${token}x`, token.slice(0, -1), 'x'])
      expect((await new ScimApi(other).get('/Users').expect(401)).body).toEqual(UNAUTHENTICATED);
  });
});

describe('A request without a token', () => {
  it.each([['/Users'], ['/Groups'], ['/Users/x'], ['/ServiceProviderConfig'], ['/Schemas'], ['/ResourceTypes']])(
    'is refused with an error of SCIM at %s',
    async (at) => {
      const answer = await new ScimApi(null).get(at).expect(401);
      expect(answer.body).toEqual(UNAUTHENTICATED);
      expect(answer.headers).toMatchObject({ 'content-type': SCIM_TYPE, 'www-authenticate': 'Bearer' });
    },
  );

  it('gets errors of SCIM for paths that do not exist, and for methods', async () => {
    for (const at of ['/scim/v2/Nothing', '/scim/v1/Users', '/scim/v2/Bulk']) {
      const answer = await fetch(service.url + at);
      expect([answer.status, await answer.json()]).toEqual([404, scimError(404, undefined, 'Not Found')]);
    }
    const answer = await fetch(`${service.url}/scim/v2/Users`, { method: 'DELETE' });
    expect([answer.status, await answer.json()]).toEqual([
      405,
      { schemas: [ERROR_SCHEMA], status: '405', detail: 'Method Not Allowed' },
    ]);
  });
});
