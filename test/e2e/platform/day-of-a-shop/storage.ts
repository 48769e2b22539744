import { expect } from '@jest/globals';
import { pathOf } from '../../../support/objects.js';
import { api } from '../../../support/service.js';
import type { Shop } from '../../../support/shop/shop.js';
import { setPlan } from '../../../support/sql-builders/tenancy.js';
import { it } from './it.js';

const REPORT = 'order,amount,currency\n1042,49.90,EUR\n1043,18.00,EUR\n';
const PART_BYTES = 5 * 1_048_576;

/** What the shop stores apart from events. */
export function storage(shop: () => Shop): void {
  it('stores its reports, and finds them by their folders', async () => {
    const { ada, projectId } = shop();
    const of = { project_id: projectId };
    const csv = ada.with('Content-Type', 'text/csv');
    const upload = (key: string) => csv.post('/v1/core/objects', REPORT, { ...of, key });
    const report = await upload('reports/2026-02.csv');
    expect(report).toMatchObject({ size: Buffer.byteLength(REPORT), content_type: 'text/csv', version: 1 });
    const { download_url: url } = await ada.get(`/v1/core/objects/${report.id}`, { expires_in: 600 });
    expect((await api.get(pathOf(url)).expect(200)).text).toBe(REPORT);
    const renamed = await ada.patch(`/v1/core/objects/${report.id}`, {
      key: 'reports/2026/february.csv',
      metadata: { month: '2026-02', made_by: 'weekly-report' },
    });
    expect(renamed.key).toBe('reports/2026/february.csv');
    await upload('reports/2026-03.csv');
    const listed = await ada.get('/v1/core/objects', { ...of, prefix: 'reports/', delimiter: '/' });
    expect(listed).toMatchObject({ items: [{ key: 'reports/2026-03.csv' }], prefixes: ['reports/2026/'] });
    const passing = await upload('reports/draft.csv');
    await ada.delete(`/v1/core/objects/${passing.id}`);
  });

  it('uploads the film of a product in parts', async () => {
    const { ada, organizationId, projectId } = shop();
    const last = 12;
    // In the shared service, the plan of the shop stores less than the smallest part, and this plan stores 10 GB.
    await setPlan(organizationId, 'free');
    const film = {
      project_id: projectId,
      key: 'films/teapot.mp4',
      content_type: 'video/mp4',
      part_size: PART_BYTES,
      metadata: { product: 'teapot' },
    };
    const begun = await ada.post('/v1/core/uploads', { ...film, size: PART_BYTES + last });
    const parts = [];
    for (const { part_number: number, size, url } of begun.parts) {
      const put = api.put(pathOf(url)).set('Content-Type', 'application/octet-stream');
      const { body } = await put.send(Buffer.alloc(size, `part ${number} `)).expect(200);
      parts.push({ part_number: number, etag: body.etag });
    }
    const done = await ada.post(`/v1/core/uploads/${begun.id}/complete`, { parts });
    expect(done).toMatchObject({ size: PART_BYTES + last, content_type: 'video/mp4' });
    const dropped = await ada.post('/v1/core/uploads', { ...film, key: 'films/oolong.mp4', size: last });
    await ada.delete(`/v1/core/uploads/${dropped.id}`);
    const usage = await ada.get('/v1/core/usage', { project_id: projectId });
    expect(usage.project).toMatchObject({ objects: 3 });
    expect(usage.storage.bytes_used).toBe(PART_BYTES + last + 2 * Buffer.byteLength(REPORT));
    await setPlan(organizationId, 'pro');
  });

  it('stores a token as a secret, and replaces its value', async () => {
    const { ada, projectId } = shop();
    const secret = await ada.post('/v1/secrets', {
      project_id: projectId,
      name: 'ON_CALL_TOKEN',
      value: 'example-on-call-token',
      description: 'Token of the on-call service',
    });
    await ada.put(`/v1/secrets/${secret.id}`, { value: 'example-rotated-token' });
    const passing = await ada.post('/v1/secrets', { project_id: projectId, name: 'OLD_CHAT_TOKEN', value: 'outdated' });
    await ada.delete(`/v1/secrets/${passing.id}`);
    expect(await ada.get('/v1/secrets', { project_id: projectId })).toMatchObject([
      { name: 'ON_CALL_TOKEN', version: 2 },
    ]);
  });
}
