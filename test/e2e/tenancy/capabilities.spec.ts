import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

// SERVICE 4.7 as the answer of the route.
const TABLE = {
  viewer: { read: true, replay: false, retry_now: false, drain_dlq: false, manage: false },
  member: { read: true, replay: false, retry_now: false, drain_dlq: false, manage: true },
  operator: { read: true, replay: true, retry_now: true, drain_dlq: false, manage: false },
  admin: { read: true, replay: true, retry_now: true, drain_dlq: true, manage: true },
  owner: { read: true, replay: true, retry_now: true, drain_dlq: true, manage: true },
};

describe('delivery capabilities of a project', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const capabilities = (actor: Actor) =>
    app.request().get(`/v1/projects/${owner.projectId}/capabilities`).set('Authorization', actor.bearer);

  it.each(Object.entries(TABLE))('tells a %s what the role allows', async (role, expected) => {
    const actor = role === 'owner' ? owner : await addMember(app, owner, role);
    expect((await capabilities(actor).expect(200)).body).toEqual({
      project_id: owner.projectId,
      can_read_delivery: expected.read,
      can_replay_delivery: expected.replay,
      can_retry_now_delivery: expected.retry_now,
      can_drain_delivery_dlq: expected.drain_dlq,
      can_manage_delivery_channels: expected.manage,
    });
  });

  it('follows a change of role at the next request', async () => {
    const actor = await addMember(app, owner, 'member');
    expect((await capabilities(actor).expect(200)).body).toMatchObject({ can_replay_delivery: false });
    await app
      .request()
      .patch(`/v1/projects/${owner.projectId}/members/${actor.id}`)
      .set('Authorization', owner.bearer)
      .send({ role: 'operator' })
      .expect(200);
    expect((await capabilities(actor).expect(200)).body).toMatchObject({
      can_replay_delivery: true,
      can_manage_delivery_channels: false,
    });
  });

  it('tells a stranger nothing', async () => {
    await capabilities(await signedIn(app)).expect(403, { detail: 'Not a project member' });
  });
});
