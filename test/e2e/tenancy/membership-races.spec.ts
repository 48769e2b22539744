import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, api, PASSWORD, type Tenant, tenant } from '../../support/service.js';
import {
  holdingOrganization,
  projectMemberRows,
  setPlan,
  storeProjectRole,
} from '../../support/sql-builders/tenancy.js';

const ROUNDS = 12;

describe('a membership', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'enterprise');
  });

  const memberPath = (userId: string) => `/v1/organizations/${acme.organizationId}/members/${userId}`;

  async function newProject(slug: string): Promise<string> {
    const body = { organization_id: acme.organizationId, name: slug, slug };
    return ((await api.as(acme.owner).post('/v1/projects', body).expect(201)).body as { id: string }).id;
  }

  async function selecting(projectId: string): Promise<Account> {
    const operator = await acme.operator();
    await storeProjectRole(projectId, operator.id, 'operator');
    await api.as(operator).post('/v1/projects/select', { project_id: projectId }).expect(200);
    return operator;
  }

  it('causes no server error when removals, a role change, and deletions of project and account race', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const projectId = await newProject(`race-${round}`);
      await api.as(acme.owner).post(`/v1/projects/${projectId}/archive`, {}).expect(200);
      const member = await selecting(projectId);
      const answers = await Promise.all([
        api.as(acme.owner).delete(memberPath(member.id)),
        api.as(acme.owner).delete(`/v1/projects/${projectId}/members/${member.id}`),
        api.as(acme.owner).patch(`/v1/projects/${projectId}/members/${member.id}`, { role: 'viewer' }),
        api.as(acme.owner).delete(`/v1/projects/${projectId}`),
        api.as(member).post('/v1/account/delete', { current_password: PASSWORD }),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
  });

  it('is not left in a deleted project when the role in the organization changes', async () => {
    const projectId = await newProject('gone');
    const member = await selecting(projectId);
    await api.as(acme.owner).post(`/v1/projects/${projectId}/archive`, {}).expect(200);
    await api.as(acme.owner).delete(`/v1/projects/${projectId}`).expect(204);
    await api.as(acme.owner).patch(memberPath(member.id), { role: 'viewer' }).expect(200);
    expect(await projectMemberRows(projectId)).toEqual([]);
  });

  it('allows nothing to a request that waits while the membership is removed', async () => {
    const projectId = await newProject('waited');
    const [admin, victim] = [await acme.operator(), await acme.viewer()];
    await storeProjectRole(projectId, admin.id, 'admin');
    await storeProjectRole(projectId, victim.id, 'viewer');
    const orgAdmin = await acme.admin();
    const waiting = await holdingOrganization(acme.organizationId, async (untilWaiting) => {
      const removal = (account: Account) => api.as(acme.owner).delete(memberPath(account.id));
      const first = [removal(admin).then(({ status }) => status)];
      await untilWaiting(1);
      first.push(removal(orgAdmin).then(({ status }) => status));
      await untilWaiting(2);
      const then = [
        api.as(admin).patch(`/v1/projects/${projectId}/members/${victim.id}`, { role: 'admin' }),
        api.as(admin).post(`/v1/projects/${projectId}/archive`, {}),
        api.as(orgAdmin).post('/v1/projects', { organization_id: acme.organizationId, name: 'x', slug: 'late' }),
        api.as(orgAdmin).post(`/v1/organizations/${acme.organizationId}/invites`, { email: 'late@example.com' }),
      ].map((request) => request.then(({ status }) => status));
      await untilWaiting(6);
      return [first, then] as const;
    });
    expect(await Promise.all(waiting[0])).toEqual([200, 200]);
    expect(await Promise.all(waiting[1])).toEqual([403, 403, 403, 403]);
  });
});
