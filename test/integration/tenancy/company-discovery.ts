import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';

/** The service must have no other verified domain, because any organization changes the answer. */
export function describeCompanyDiscovery(service: () => TestApp): void {
  describe('GET /sso/providers', () => {
    let app: TestApp;
    let owner: Owner;
    let other: Owner;

    beforeAll(async () => {
      app = service();
      owner = await ownerWithProject(app);
      other = await ownerWithProject(app);
    });

    const byAddress = async (): Promise<boolean> => {
      const { body } = await app.request().get('/sso/providers').expect(200);
      expect(body).toEqual({ providers: [], by_address: expect.any(Boolean) });
      return (body as { by_address: boolean }).by_address;
    };
    const addDomain = ({ organizationId }: Owner, domain: string) =>
      app.rows(`INSERT INTO sso_domains (id, organization_id, domain, challenge) VALUES ($1, $2, $3, 'challenge')`, [
        randomUUID(),
        organizationId,
        domain,
      ]);
    const send = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
      app
        .request()
        [method](`/sso/organizations/${owner.organizationId}/${path}`)
        .set('Authorization', owner.bearer)
        .send(body);

    it('says that an address finds a provider while an organization has a verified domain and an enabled connection', async () => {
      expect(await byAddress()).toBe(false);
      await addDomain(owner, 'acme.example');
      const connection = { protocol: 'oidc', label: 'Acme', issuer: 'https://id.acme.example', client_id: 'events' };
      const { id } = (await send('post', 'connections', connection).expect(201)).body as { id: string };
      expect(await byAddress()).toBe(false);
      await addDomain(other, 'other.example');
      await app.rows("UPDATE sso_domains SET verified_at = now(), verified_by = 'dns' WHERE domain = 'other.example'");
      expect(await byAddress()).toBe(false);
      await app.rows("UPDATE sso_domains SET verified_at = now(), verified_by = 'dns' WHERE domain = 'acme.example'");
      expect(await byAddress()).toBe(true);
      await send('patch', `connections/${id}`, { is_enabled: false }).expect(200);
      expect(await byAddress()).toBe(false);
      await send('patch', `connections/${id}`, { is_enabled: true }).expect(200);
      expect(await byAddress()).toBe(true);
      await send('delete', `connections/${id}`).expect(204);
      expect(await byAddress()).toBe(false);
    });
  });
}
