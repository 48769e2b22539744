import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NotificationBus } from '../../../../src/platform/database/notification-bus.js';
import { type Actor, type Owner, ownerWithProject, signedIn } from '../../../support/actors.js';
import { createApiApp, type TestApp } from '../../../support/app.js';
import { ingest } from '../../../support/sources.js';
import { ADMIN, type Billing } from './billing.js';

export function describeBillingStatus(billing: () => Billing): void {
  describe('a change by a platform administrator', () => {
    let app: TestApp;
    let owner: Owner;
    let admin: Actor;

    beforeAll(async () => {
      ({ app } = billing());
      owner = await ownerWithProject(app);
      admin = await signedIn(app, ADMIN);
    });

    it('is published to every process', async () => {
      const told: string[] = [];
      const notifications = new NotificationBus({ databaseUrl: app.databaseUrl, onError: () => undefined });
      await notifications.start();
      notifications.subscribe('organization_changed', (id) => void told.push(id));
      await app
        .request()
        .patch(`/v1/billing/org/${owner.organizationId}`)
        .set('Authorization', admin.bearer)
        .send({ plan: 'free', events_per_month_limit: 9 })
        .expect(200);
      while (!told.includes(owner.organizationId)) await new Promise((resolve) => setTimeout(resolve, 10));
      await notifications.close();
    });

    it.each([
      [{}, 404, 'Billing administration is disabled'],
      [{ ENABLE_BILLING_ADMIN: 'false', PLATFORM_ADMIN_EMAILS: ADMIN }, 404, 'Billing administration is disabled'],
      [{ ENABLE_BILLING_ADMIN: 'true' }, 500, 'Platform administration is not configured'],
      [
        { ENABLE_BILLING_ADMIN: 'true', PLATFORM_ADMIN_EMAILS: `${ADMIN}, everybody` },
        500,
        'Platform administration is not configured',
      ],
    ])('is refused under the configuration %j with %d', async (env, code, detail) => {
      const other = await createApiApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir, env });
      const send = (body: object) =>
        other.request().patch(`/v1/billing/org/${owner.organizationId}`).set('Authorization', admin.bearer).send(body);
      await send({}).expect(code, { detail });
      await send({ plan: 'nonsense' }).expect(code, { detail });
      await other.request().patch(`/v1/billing/org/${owner.organizationId}`).send({}).expect(401);
      if (code === 500) expect(other.logLines.join('\n')).toContain('PLATFORM_ADMIN_EMAILS');
      await other.close();
    });
  });

  describe('the billing status of an organization', () => {
    it('says to upgrade below PUBLIC_APP_URL when UPGRADE_URL is not configured', async () => {
      const { app } = billing();
      const owner = await ownerWithProject(app);
      const { body } = await app.request().get('/v1/billing/status').set('X-API-Key', owner.apiKey).expect(200);
      expect(body).toMatchObject({ upgrade_url: 'https://front.example.com/billing' });
    });
  });

  describe('a key whose rows are incomplete', () => {
    let app: TestApp;

    beforeAll(async () => {
      app = await createApiApp();
      // The database forbids it otherwise.
      await app.rows(
        'ALTER TABLE projects DROP CONSTRAINT fk_projects_organization_id, ALTER organization_id DROP NOT NULL',
      );
      await app.rows('ALTER TABLE api_keys DROP CONSTRAINT fk_api_keys_project_id');
    });
    afterAll(() => app.close());

    const read = async (of: Owner, status: number, detail: string): Promise<void> => {
      for (const path of ['/v1/billing/status', '/v1/usage/current']) {
        await app.request().get(path).set('X-API-Key', of.apiKey).expect(status, { detail });
      }
    };

    it('reads nothing and gets 404 when the organization is missing', async () => {
      const of = await ownerWithProject(app);
      await app.rows('DELETE FROM organizations WHERE id = $1', [of.organizationId]);
      await read(of, 404, 'Organization not found');
    });

    it.each([
      ['the project is missing', 'DELETE FROM projects WHERE id = $1'],
      ['the project names no organization', 'UPDATE projects SET organization_id = NULL WHERE id = $1'],
    ])('reads nothing and gets 400 when %s', async (_, change) => {
      const of = await ownerWithProject(app);
      await app.rows(change, [of.projectId]);
      await read(of, 400, 'Project has no organization');
      await app.request().get('/v1/api-keys/me').set('X-API-Key', of.apiKey).expect(401, { detail: 'Invalid API key' });
      await ingest(app, of.apiKey).expect(401, { detail: 'Invalid API key' });
    });
  });
}
