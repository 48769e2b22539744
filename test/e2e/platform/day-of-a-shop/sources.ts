import { expect } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { api } from '../../../support/service.js';
import type { Shop } from '../../../support/shop/shop.js';
import { it } from './it.js';

const WEEK_MS = 7 * 86_400_000;

/** What sends events to the service. */
export function sources(shop: () => Shop): void {
  it('sends events from the pages of its storefront with a browser key', async () => {
    const { ada, projectId } = shop();
    const storefront = await ada.post('/v1/ingest-sources', {
      project_id: projectId,
      name: 'Storefront',
      type: 'browser',
      description: 'What visitors do in their browsers',
    });
    const keys = `/v1/ingest-sources/${storefront.id}/browser-keys`;
    const key = await ada.post(keys, {
      name: 'Shop pages',
      allowed_origins: ['https://shop.acme.example'],
      rate_limit_per_minute: 600,
    });
    const event = { event_type: 'page.viewed', source: 'browser', properties: { path: '/products/green-tea' } };
    await api
      .post('/v1/events/ingest', event)
      .set({ 'X-API-Key': String(key.key), Origin: 'https://shop.acme.example' })
      .expect(200);
    const changed = await ada.patch(`${keys}/${key.id}`, {
      allowed_origins: ['https://shop.acme.example', 'https://checkout.acme.example'],
      rate_limit_per_minute: 1_200,
    });
    expect(changed).toMatchObject({ rate_limit_per_minute: 1_200 });
    expect(await ada.get(keys)).toHaveLength(1);
    await ada.delete(`${keys}/${key.id}`);
    expect((await ada.post(`/v1/ingest-sources/${storefront.id}/disable`)).is_enabled).toBe(false);
    expect((await ada.post(`/v1/ingest-sources/${storefront.id}/enable`)).is_enabled).toBe(true);
    await ada.patch(`/v1/ingest-sources/${storefront.id}`, { name: 'Web storefront' });
    const mistaken = await ada.post('/v1/ingest-sources', { project_id: projectId, name: 'Till', type: 'http' });
    await ada.delete(`/v1/ingest-sources/${mistaken.id}`);
  });

  it('rotates its keys, and revokes the keys that it does not need', async () => {
    const { ada, projectId, serverSourceId } = shop();
    const expires_at = new Date(Date.now() + 4 * WEEK_MS).toISOString();
    const keys = `/v1/ingest-sources/${serverSourceId}/keys`;
    const second = await ada.post(keys, { name: 'Warehouse', scopes: ['events:write'], expires_at });
    const turned = await ada.post(`${keys}/${second.id}/rotate`, { grace_seconds: 3_600 });
    expect(turned.key).toMatch(/^oes_/);
    expect((await ada.post(`${keys}/${turned.id}/revoke`)).status).toBe('revoked');
    expect(await ada.get(keys)).toHaveLength(3);

    const reports = await ada.post('/v1/api-keys', {
      project_id: projectId,
      name: 'Monthly report',
      scopes: ['events:read'],
      expires_at,
    });
    expect((await ada.patch(`/v1/api-keys/${reports.id}`, { name: 'Yearly report' })).name).toBe('Yearly report');
    const next = await ada.post(`/v1/api-keys/${reports.id}/rotate`, { grace_seconds: 3_600 });
    expect((await ada.post(`/v1/api-keys/${next.id}/revoke`)).status).toBe('revoked');
    const listed = await ada.get('/v1/api-keys', { project_id: projectId });
    expect(listed.map(({ name }: { name: string }) => name)).toContain('Yearly report');
  });

  it('tests its source, and reads why an event was refused', async () => {
    const { ada, server, serverSourceId } = shop();
    const path = `/v1/ingest-sources/${serverSourceId}`;
    const own = await server.get('/v1/api-keys/me');
    expect(own).toMatchObject({ project_name: 'Web shop', source_id: serverSourceId });
    expect((await ada.post(`${path}/test`)).accepted).toBe(true);
    await ada.post(`${path}/disable`);
    await expect(server.post('/v1/events/ingest', { event_type: 'order.placed', source: 'shop' })).rejects.toThrow(
      ' 403 ',
    );
    await ada.post(`${path}/enable`);
    const { items } = await eventually(
      () => ada.get(`${path}/failures`),
      (failures) => failures.items.length > 0,
    );
    expect(items).toMatchObject([{ reason_code: 'source_disabled', status_code: 403, count: 1 }]);
  });
}
