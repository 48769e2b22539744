import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MembershipNotifier } from '../../../src/modules/tenancy/organizations/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

describe('a second instance of the service', () => {
  let app: TestApp;
  let second: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp();
    second = await createApiApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
  });
  afterAll(async () => {
    await second.close();
    await app.close();
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

  it('receives a notice for its open streams when a member is removed from the organization', async () => {
    const admin = await addMember(app, owner, 'admin');
    const notice = new Promise((resolve) => {
      second.nest.get(MembershipNotifier).subscribe((change) => {
        if (change.userId === admin.id) resolve(change);
      });
    });
    const path = `/v1/organizations/${owner.organizationId}/members/${admin.id}`;
    await send('delete', path).expect(200, { message: 'Member removed' });
    expect(await notice).toEqual({ userId: admin.id, organizationId: owner.organizationId });
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
});
