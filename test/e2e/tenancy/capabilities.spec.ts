import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, api, outsider, type Tenant, tenant } from '../../support/service.js';

const TABLE = {
  viewer: { read: true, replay: false, retry_now: false, drain_dlq: false, manage: false },
  member: { read: true, replay: false, retry_now: false, drain_dlq: false, manage: true },
  operator: { read: true, replay: true, retry_now: true, drain_dlq: false, manage: false },
  admin: { read: true, replay: true, retry_now: true, drain_dlq: true, manage: true },
  owner: { read: true, replay: true, retry_now: true, drain_dlq: true, manage: true },
};
const ROLES = Object.keys(TABLE) as (keyof typeof TABLE)[];

describe('the list of delivery capabilities', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
  });

  const capabilities = (account: Account) => api.as(account).get(`/v1/projects/${acme.projectId}/capabilities`);

  it.each(ROLES)('shows what the role %s may do', async (role) => {
    const account = role === 'owner' ? acme.owner : await acme[role]();
    const expected = TABLE[role];
    expect((await capabilities(account).expect(200)).body).toEqual({
      project_id: acme.projectId,
      can_read_delivery: expected.read,
      can_replay_delivery: expected.replay,
      can_retry_now_delivery: expected.retry_now,
      can_drain_delivery_dlq: expected.drain_dlq,
      can_manage_delivery_channels: expected.manage,
    });
  });

  it('follows a change of the role at the next request', async () => {
    const member = await acme.member();
    expect((await capabilities(member).expect(200)).body).toMatchObject({ can_replay_delivery: false });
    const path = `/v1/projects/${acme.projectId}/members/${member.id}`;
    await api.as(acme.owner).patch(path, { role: 'operator' }).expect(200);
    expect((await capabilities(member).expect(200)).body).toMatchObject({
      can_replay_delivery: true,
      can_manage_delivery_channels: false,
    });
  });

  it('returns 403 to somebody who is not a member of the project', async () => {
    await capabilities(await outsider()).expect(403, { detail: 'Not a project member' });
  });
});
