import { expect } from '@jest/globals';
import type { Shop } from '../../../support/shop/shop.js';
import type { ShopEvent } from '../../../support/shop/trade.js';
import { openStream } from '../../../support/stream-api.js';
import { it } from './it.js';

const LINES = 100;
/** The day has 60 visits. 40 visitors fill a cart, 30 of these pay, and the bank refuses 4 of the payments. */
const ORDERS = 26;

/** What happens in the shop: the events that it sends and reads. */
export function trade(shop: () => Shop): void {
  it('reads each event in the streams as soon as it is sent', async () => {
    const { ada, server, projectId } = shop();
    const of = `project_id=${projectId}`;
    const [events, logs] = await Promise.all([
      openStream(`/v1/events/stream?${of}`, ada.account),
      openStream(`/v1/logs/stream?${of}`, ada.account),
    ]);
    const sold = await server.post('/v1/events/ingest', {
      event_type: 'order.placed',
      source: 'shop',
      event_id: 'order-1042',
      timestamp: new Date().toISOString(),
      severity: 'info',
      environment: 'production',
      properties: { user: 'visitor-61', country: 'DE', plan: 'pro', amount: 49.9, currency: 'EUR' },
    });
    await events.until(({ ids }) => ids.includes(sold.ingested_event_id));
    events.close();
    const request = await server.post('/v1/events/ingest', {
      event_type: 'http.request',
      source: 'shop',
      properties: { method: 'POST', path: '/checkout', status_code: 200, latency_ms: 184 },
    });
    await logs.until(({ ids }) => ids.includes(request.ingested_event_id));
    logs.close();

    const deployed = await ada.post('/v1/events', {
      project_id: projectId,
      event_type: 'release.deployed',
      source: 'console',
      severity: 'info',
      properties: { version: '2026.3.1', service: 'checkout' },
    });
    const path = `/v1/projects/${projectId}/events/${deployed.id}`;
    expect((await ada.get(path)).properties).toMatchObject({ version: '2026.3.1' });
  });

  it('sends two days of events as lines, and has each event once although it was sent twice', async () => {
    const { ada, server, projectId, today, yesterday } = shop();
    const lines = server.with('Content-Type', 'application/x-ndjson');
    const send = async (events: readonly ShopEvent[]): Promise<void> => {
      for (let from = 0; from < events.length; from += LINES) {
        const batch = events.slice(from, from + LINES);
        const sender = lines.with('Idempotency-Key', `batch-of-${batch[0]?.event_id}`);
        await sender.post('/v1/events/ingest', batch.map((event) => JSON.stringify(event)).join('\n'));
      }
    };
    await send(yesterday);
    await send(today);
    // A server that has received no answer sends its events again.
    await send(today);
    const { total } = await ada.get(`/v1/projects/${projectId}/events`, { range: '7d', environment: 'production' });
    expect(total).toBe(1 + today.length + yesterday.length);
  });

  it('finds its events again, and counts them', async () => {
    const { ada, projectId, serverSourceId, today, day } = shop();
    const of = { project_id: projectId };
    const project = `/v1/projects/${projectId}`;
    const found = await ada.get(`${project}/events`, { ...day, event: 'order.placed', limit: 10 });
    expect(found).toMatchObject({ total: ORDERS, project_name: 'Web shop' });
    const { facets } = await ada.get(`${project}/events/facets`, day);
    expect(facets.event).toContainEqual({ value: 'order.placed', count: ORDERS });
    const refused = today.filter(({ event_type: type }) => type === 'payment.failed');
    const exported: string = await ada.post(`${project}/events/export`, {
      ...day,
      event: 'payment.failed',
      format: 'ndjson',
    });
    expect(exported.trim().split('\n')).toHaveLength(refused.length);
    expect(await ada.get('/v1/events/names', { ...of, range: '7d' })).toContainEqual({
      event: 'payment.failed',
      total: refused.length + 2,
    });
    expect((await ada.get('/v1/events', { ...of, limit: 5 })).items).toHaveLength(5);
    const counted = await ada.get('/v1/events/counts', { ...of, range: '24h', interval: 'day' });
    expect(counted.total_events).toBeGreaterThan(today.length / 2);
    const logs = await ada.get('/v1/logs', { ...of, range: '24h', method: 'POST', query: 'checkout', limit: 20 });
    expect(logs.every(({ endpoint }: { endpoint: string }) => endpoint === '/checkout')).toBe(true);

    const source = `/v1/ingest-sources/${serverSourceId}`;
    expect((await ada.get(`${source}/schema`)).event_types.map(({ event }: { event: string }) => event)).toContain(
      'order.placed',
    );
    expect((await ada.get(`${source}/events`, { limit: 5 })).items).toHaveLength(5);
    expect((await ada.get(`${source}/health`)).status).toBe('healthy');
    const sent = await ada.get(`${source}/stats`, { range: '24h', interval: 'day' });
    expect(sent.totals.events).toBeGreaterThan(today.length / 2);
    expect((await ada.get(source)).last_event_at).toEqual(expect.any(String));
    expect(await ada.get('/v1/ingest-sources', of)).toHaveLength(2);
  });

  it('saves a view of the failed payments', async () => {
    const { grace, projectId } = shop();
    const views = `/v1/projects/${projectId}/saved-views`;
    const view = await grace.post(views, {
      name: 'Failed payments',
      filters: { event: 'payment.failed', severity: 'critical', range: '7d' },
    });
    await grace.patch(`${views}/${view.id}`, {
      name: 'Failed payments in production',
      filters: { event: 'payment.failed', environment: 'production', range: '7d' },
    });
    expect(await grace.get(views, { kind: 'view' })).toHaveLength(1);
    const passing = await grace.post(views, { name: 'Orders from Germany', filters: { event: 'order.placed' } });
    await grace.delete(`${views}/${passing.id}`);
  });

  it('reads the state of its project, and how many events it has used', async () => {
    const { ada, reader, projectId, organizationId } = shop();
    const project = `/v1/projects/${projectId}`;
    expect((await ada.get(`${project}/dashboard`)).totals.events).toBeGreaterThan(0);
    expect((await ada.get(`${project}/health`)).onboarding.completed).toBe(true);
    expect((await ada.get(`${project}/usage/daily`, { days: 2 })).usage.length).toBeGreaterThan(0);
    expect((await ada.get(`${project}/activity`, { limit: 5 })).items).toHaveLength(5);
    expect((await ada.get('/v1/usage', { project_id: projectId, period: '7d' })).total_events).toBeGreaterThan(0);
    const used: Record<string, number | string> = await reader.get('/v1/usage/current');
    expect(used.organization_id).toBe(organizationId);
    expect(Number(used.events_used) + Number(used.events_remaining)).toBe(used.events_limit);
  });
}
