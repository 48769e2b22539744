import { beforeAll, describe, expect, it } from '@jest/globals';
import { SecurityNoticesRepository } from '../../../src/modules/identity/security-events/security-notices.repository.js';
import {
  type Actor,
  addMember,
  login,
  ownerWithProject,
  PASSWORD,
  randomEmail,
  signedIn,
} from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { mailsTo, waitForMails } from '../../support/outbox.js';

/** The internal token of the service. */
export const TOKEN = 'internal-job-token-of-the-test';

export function describeAccounts(service: () => TestApp): void {
  describe('an account', () => {
    let app: TestApp;

    beforeAll(() => {
      app = service();
    });

    const me = (actor: Pick<Actor, 'bearer'>) => app.request().get('/v1/auth/me').set('Authorization', actor.bearer);
    const deleteAccount = (actor: Pick<Actor, 'bearer'>, body: object = {}) =>
      app
        .request()
        .post('/v1/account/delete')
        .set('Authorization', actor.bearer)
        .send({ current_password: PASSWORD, ...body });

    it('is mailed once a minute about events of a type, although several processes look for them', async () => {
      const due = app.nest.get(SecurityNoticesRepository);
      const { id, email } = await signedIn(app);
      await app.backgroundDone();
      const happen = () =>
        app.rows(
          `INSERT INTO security_events (id, user_id, type, notice_to) VALUES (gen_random_uuid(), $1, 'passkey_added', $2)`,
          [id, email],
        );
      for (let round = 0; round < 15; round += 1) {
        await happen();
        const racing = await Promise.all([due.claim(id), happen(), due.claim(id), happen(), due.claim(id), happen()]);
        const claims = [racing[0], racing[2], racing[4], await due.claim(id)];
        expect(claims.filter((claimed) => claimed.length > 0)).toHaveLength(1);
        await app.rows('DELETE FROM security_events WHERE user_id = $1', [id]);
      }
    });

    it('is mailed about a first event before 200 accounts whose mails have failed for hours', async () => {
      await app.rows(
        `WITH failing AS (
         INSERT INTO users (id, email, email_key)
         SELECT gen_random_uuid(), address, address
         FROM (SELECT format('failing-%s@example.com', n) AS address FROM generate_series(1, 200) n) addresses
         RETURNING id, email
       )
       INSERT INTO security_events (id, user_id, type, notice_to, created_at, notice_at)
       SELECT gen_random_uuid(), id, 'passkey_added', email, now() - interval '5 hours', now() - interval '2 minutes'
       FROM failing`,
      );
      const { id, email } = await signedIn(app);
      await app.backgroundDone();
      await app.rows(
        `INSERT INTO security_events (id, user_id, type, notice_to) VALUES (gen_random_uuid(), $1, 'passkey_added', $2)`,
        [id, email],
      );
      expect((await app.nest.get(SecurityNoticesRepository).accounts())[0]).toBe(id);
      await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
      await app.backgroundDone();
      const mails = await mailsTo(app.dataDir, email);
      expect(mails.map(({ subject }) => subject)).toContain('A passkey was added to your account');
      await app.rows(`DELETE FROM users WHERE email LIKE 'failing-%'`);
    });

    it('leaves only rows of the audit log when it is deleted with its organizations', async () => {
      const owner = await ownerWithProject(app);
      const guest = await ownerWithProject(app);
      const [{ slug } = { slug: '' }] = await app.rows<{ slug: string }>(
        'SELECT slug FROM organizations WHERE id = $1',
        [owner.organizationId],
      );
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'order.created', source: 'shop' })
        .expect(200);
      // Requests are counted a moment after their answers.
      await eventually(
        () => app.rows('SELECT FROM usage_daily WHERE project_id = $1 AND requests = 1', [owner.projectId]),
        (days) => days.length === 1,
      );
      const invited = randomEmail();
      await app
        .request()
        .post(`/v1/organizations/${owner.organizationId}/invites`)
        .set('Authorization', owner.bearer)
        .send({ email: invited })
        .expect(201);
      await app.rows(`UPDATE organizations SET payment_customer_id = 'cus_of_deleted' WHERE id = $1`, [
        owner.organizationId,
      ]);
      await deleteAccount(owner, { delete_organizations: true }).expect(200);

      await me(owner).expect(401);
      for (const path of ['/v1/usage/current', '/v1/api-keys/me'])
        await app.request().get(path).set('X-API-Key', owner.apiKey).expect(401);
      const of = (path: string) => app.request().get(path).set('Authorization', guest.bearer);
      await of(`/v1/organizations/${owner.organizationId}`).expect(404, { detail: 'Organization not found' });
      await of(`/v1/projects/${owner.projectId}`).expect(404, { detail: 'Project not found' });
      await app.rows('UPDATE organizations SET plan = $2 WHERE id = $1', [guest.organizationId, 'scale']);
      await app
        .request()
        .post('/v1/organizations')
        .set('Authorization', guest.bearer)
        .send({ name: 'Again', slug })
        .expect(201);
      expect(await app.rows(`SELECT customer_id FROM payment_customer_removals`)).toEqual([
        { customer_id: 'cus_of_deleted' },
      ]);
      expect(await tablesWith(owner.email)).toEqual([]);
      expect(await tablesWith(invited)).toEqual([]);

      // A round that comes after the caches of all instances have let go, and after the month whose usage stays.
      await app.rows(`UPDATE usage_daily SET day = day - 31 WHERE project_id = $1`, [owner.projectId]);
      await app.rows(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE deleted_at IS NOT NULL`);
      await app.rows(`UPDATE organizations SET deleted_at = now() - interval '2 minutes' WHERE deleted_at IS NOT NULL`);
      await eventually(
        async () => {
          await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
          return tablesWith(owner.organizationId);
        },
        (tables) => tables.join() === 'audit_events',
      );
      expect(await tablesWith(owner.projectId)).toEqual(['audit_events']);
      expect(await tablesWith(owner.id)).toEqual(['audit_events']);
      const acts = await app.rows<{ action: string }>('SELECT action FROM audit_events WHERE actor_user_id = $1', [
        owner.id,
      ]);
      expect(acts.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['account.deleted', 'organization.deleted', 'project.deleted']),
      );
      await of(`/v1/projects/${guest.projectId}`).expect(200);
    });

    it('leaves nothing personal when it is deleted as a member of an organization', async () => {
      const owner = await ownerWithProject(app);
      await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
      const admin = await addMember(app, owner, 'admin');
      const create = async (path: string, body: object) =>
        (await app.request().post(path).set('Authorization', admin.bearer).send(body).expect(201)).body as {
          id: string;
        };
      const project = await create('/v1/projects', {
        organization_id: owner.organizationId,
        name: 'Of the admin',
        slug: 'of-the-admin',
      });
      await create('/v1/api-keys', { project_id: project.id, name: 'Of the admin' });
      await app.request().post('/v1/auth/password-reset/request').send({ email: admin.email }).expect(200);
      await waitForMails(app.dataDir, admin.email, 1);
      const second = await login(app, admin.email);

      await deleteAccount(admin).expect(200);
      for (const gone of [admin, second]) await me(gone).expect(401, { detail: 'Not authenticated' });
      await app.request().post('/v1/auth/refresh').send({ refresh_token: admin.refreshToken }).expect(401);
      await app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send({ username: admin.email, password: PASSWORD })
        .expect(401, { detail: 'Incorrect email or password' });
      expect(await tablesWith(admin.id)).toEqual(['audit_events']);
      expect(await tablesWith(admin.email)).toEqual([]);
      expect(
        await app.rows(`SELECT action FROM audit_events WHERE actor_user_id = $1 AND action LIKE 'account.%'`, [
          admin.id,
        ]),
      ).toEqual([{ action: 'account.deleted' }]);
    });

    /** Names of the tables in which any row contains the text. */
    async function tablesWith(text: string): Promise<string[]> {
      const tables = await app.rows<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY 1`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await app.rows(`SELECT 1 FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
        if (rows.length > 0) found.push(name);
      }
      return found;
    }
  });
}
