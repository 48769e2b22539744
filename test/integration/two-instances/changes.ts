import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MembershipNotifier } from '../../../src/modules/tenancy/organizations/index.js';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { HostileProvider } from '../../support/hostile-provider.js';
import type { Instances } from './instances.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
/** The statuses of accepted SCIM requests. */
const STATUS = { post: 201, patch: 200, delete: 204 };

export function describeChanges(instances: () => Instances): void {
  describe('a second instance of the service', () => {
    let app: TestApp;
    let second: TestApp;
    let owner: Owner;
    let provider: HostileProvider;

    beforeAll(() => {
      ({ app, second, provider } = instances());
    });
    beforeEach(async () => {
      owner = await ownerWithProject(app);
    });

    const send = (method: 'put' | 'post' | 'delete', path: string, body?: object) => {
      const request = app.request()[method](path).set('Authorization', owner.bearer);
      return body === undefined ? request : request.send(body);
    };
    const ingest = (on: TestApp, body: object = {}) =>
      on
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'checkout', source: 'web', ...body });

    it('receives a notification for its open streams when a member is removed from the organization', async () => {
      const admin = await addMember(app, owner, 'admin');
      const notification = new Promise((resolve) => {
        second.nest.get(MembershipNotifier).subscribe((change) => {
          if (change.userId === admin.id) resolve(change);
        });
      });
      const path = `/v1/organizations/${owner.organizationId}/members/${admin.id}`;
      await send('delete', path).expect(200, { message: 'Member removed' });
      expect(await notification).toEqual({ userId: admin.id, organizationId: owner.organizationId });
    });

    it('masks properties soon after the first instance, which masks them from the next event on', async () => {
      const settings = `/v1/projects/${owner.projectId}/settings`;
      const masked = async (on: TestApp): Promise<boolean> => {
        const { body } = await ingest(on, { properties: { pin: '1234' } }).expect(200);
        return (body as { properties: { pin: string } }).properties.pin === '[redacted]';
      };
      expect([await masked(app), await masked(second)]).toEqual([false, false]);
      await send('put', settings, { redacted_properties: ['pin'] }).expect(200);
      expect(await masked(app)).toBe(true);
      await eventually(
        () => masked(second),
        (isMasked) => isMasked,
      );
      await send('put', settings, {}).expect(200);
      expect(await masked(app)).toBe(false);
    });

    it('refuses events soon after a project is archived, and its API key soon after it is deleted', async () => {
      const statusOnSecond = async (): Promise<number> => (await ingest(second)).status;
      await ingest(second).expect(200);
      await send('post', `/v1/projects/${owner.projectId}/archive`).expect(200);
      await eventually(statusOnSecond, (status) => status === 403);
      await ingest(second).expect(403, { detail: 'Project is archived' });
      await send('delete', `/v1/projects/${owner.projectId}`).expect(204);
      await eventually(statusOnSecond, (status) => status === 401);
      await ingest(second).expect(401, { detail: 'Invalid API key' });
    });

    const statusOf = async ({ bearer }: Actor, on = second): Promise<number> =>
      (await on.request().get('/v1/auth/me').set('Authorization', bearer)).status;

    it.each<
      [string, (scim: (method: 'patch' | 'delete', body?: object) => PromiseLike<unknown>) => PromiseLike<unknown>]
    >([
      [
        'deactivates',
        (scim) => scim('patch', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }),
      ],
      ['deletes', (scim) => scim('delete')],
    ])('refuses the session of a person whom the identity provider %s at the first instance', async (_, remove) => {
      const domain = `${randomBytes(6).toString('hex')}.example`;
      await app.rows(
        `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
       VALUES (gen_random_uuid(), $1, $2, 'challenge', now(), 'dns')`,
        [owner.organizationId, domain],
      );
      const tokens = `/sso/organizations/${owner.organizationId}/scim-tokens`;
      const { token } = (await send('post', tokens, { name: 'Acme' }).expect(201)).body as { token: string };
      const scim = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
        app
          .request()
          [method](`/scim/v2/Users${path}`)
          .set('Authorization', `Bearer ${token}`)
          .send(body)
          .expect(STATUS[method]);
      const person = await signedIn(app, `ada@${domain}`);
      await scim('post', '', { schemas: [USER], userName: person.email });
      expect([await statusOf(person), await statusOf(owner)]).toEqual([200, 200]);
      await remove((method, body) => scim(method, `/${person.id}`, body));
      expect(await statusOf(person, app)).toBe(401);
      await eventually(
        () => statusOf(person),
        (status) => status === 401,
      );
      expect(await statusOf(owner)).toBe(200);
    });

    it('refuses the session that a logout token of its provider ends at the first instance', async () => {
      const [person, other] = [await signedIn(app), await signedIn(app)];
      for (const { id, email } of [person, other])
        await app.rows(
          `INSERT INTO sso_sessions (session_id, provider, subject) SELECT id, 'acme', $2 FROM sessions WHERE user_id = $1`,
          [id, email],
        );
      expect([await statusOf(person), await statusOf(other)]).toEqual([200, 200]);
      const now = Math.floor(Date.now() / 1000);
      const token = await provider.sign({
        iss: provider.origin,
        aud: provider.clientId,
        sub: person.email,
        iat: now,
        exp: now + 120,
        jti: randomBytes(12).toString('hex'),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
      const path = '/sso/oidc/acme/backchannel-logout';
      await app.request().post(path).type('form').send({ logout_token: token }).expect(200);
      expect(await statusOf(person, app)).toBe(401);
      await eventually(
        () => statusOf(person),
        (status) => status === 401,
      );
      expect(await statusOf(other)).toBe(200);
    });
  });
}
