import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMember, type Actor, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/service-process.js';

const ROUNDS = 12;

describe('acts on one person at the same time', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    // Room in the pool for all that wait at once: who waits for a connection instead is not in the row's queue yet.
    app = await createTestApp({ env: { DATABASE_POOL_SIZE: '12' } });
    owner = await ownerWithProject(app);
    await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
  });
  afterAll(() => app.close());

  const as = (bearer: string) => ({
    delete: (path: string) => app.request().delete(path).set('Authorization', bearer),
    post: (path: string, body: object = {}) => app.request().post(path).set('Authorization', bearer).send(body),
    patch: (path: string, body: object) => app.request().patch(path).set('Authorization', bearer).send(body),
  });

  async function newProject(slug: string): Promise<string> {
    const body = { organization_id: owner.organizationId, name: slug, slug };
    return ((await as(owner.bearer).post('/v1/projects', body).expect(201)).body as { id: string }).id;
  }

  async function selecting(projectId: string): Promise<Actor> {
    const member = await addMember(app, owner, 'operator');
    await app.rows(
      `INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, 'operator') ON CONFLICT DO NOTHING`,
      [projectId, member.id],
    );
    await as(member.bearer).post('/v1/projects/select', { project_id: projectId }).expect(200);
    return member;
  }

  it('never fail: leaving, removal from a project, and the end of the project or the account', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const projectId = await newProject(`race-${round}`);
      await as(owner.bearer).post(`/v1/projects/${projectId}/archive`).expect(200);
      const member = await selecting(projectId);
      const answers = await Promise.all([
        as(owner.bearer).delete(`/v1/organizations/${owner.organizationId}/members/${member.id}`),
        as(owner.bearer).delete(`/v1/projects/${projectId}/members/${member.id}`),
        as(owner.bearer).patch(`/v1/projects/${projectId}/members/${member.id}`, { role: 'viewer' }),
        as(owner.bearer).delete(`/v1/projects/${projectId}`),
        as(member.bearer).post('/v1/account/delete', { current_password: 'correct-horse-battery' }),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
  });

  it('leave no membership in a deleted project when a role changes', async () => {
    const projectId = await newProject('gone');
    const member = await selecting(projectId);
    await as(owner.bearer).post(`/v1/projects/${projectId}/archive`).expect(200);
    await as(owner.bearer).delete(`/v1/projects/${projectId}`).expect(204);
    await as(owner.bearer)
      .patch(`/v1/organizations/${owner.organizationId}/members/${member.id}`, { role: 'viewer' })
      .expect(200);
    expect(await app.rows('SELECT 1 FROM project_members WHERE project_id = $1', [projectId])).toEqual([]);
  });

  it('do not let somebody act who was removed while they waited', async () => {
    const projectId = await newProject('waited');
    const admin = await addMember(app, owner, 'operator');
    const victim = await addMember(app, owner, 'viewer');
    await app.rows(
      `INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, 'admin'), ($1, $3, 'viewer')
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [projectId, admin.id, victim.id],
    );
    const orgAdmin = await addMember(app, owner, 'admin');
    const waiting = await holding(owner.organizationId, async () => {
      const removal = (who: Actor) =>
        as(owner.bearer).delete(`/v1/organizations/${owner.organizationId}/members/${who.id}`);
      const first = [removal(admin).then((a) => a.status)];
      await waitingForLocks(1);
      first.push(removal(orgAdmin).then((a) => a.status));
      await waitingForLocks(2);
      const then = [
        as(admin.bearer).patch(`/v1/projects/${projectId}/members/${victim.id}`, { role: 'admin' }),
        as(admin.bearer).post(`/v1/projects/${projectId}/archive`),
        as(orgAdmin.bearer).post('/v1/projects', { organization_id: owner.organizationId, name: 'x', slug: 'late' }),
        as(orgAdmin.bearer).post(`/v1/organizations/${owner.organizationId}/invites`, { email: 'late@example.com' }),
      ].map((request) => request.then((a) => a.status));
      await waitingForLocks(6);
      return [first, then] as const;
    });
    expect(await Promise.all(waiting[0])).toEqual([200, 200]);
    expect(await Promise.all(waiting[1])).toEqual([403, 403, 403, 403]);
  });

  /** Runs `work` while another transaction holds the organization's row, so that acts queue up in a known order. */
  async function holding<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [organizationId]);
      const result = await work();
      await client.query('COMMIT');
      return result;
    } finally {
      await client.end();
    }
  }

  /** Until at least so many of the service's transactions wait for a row. */
  async function waitingForLocks(count: number): Promise<void> {
    await eventually(
      () =>
        app.rows(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')`,
        ),
      (rows) => rows.length >= count,
    );
  }
});
