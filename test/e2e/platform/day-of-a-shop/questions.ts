import { expect } from '@jest/globals';
import type { Shop } from '../../../support/shop/shop.js';
import { it } from './it.js';

/** What the shop reads from its events. */
export function questions(shop: () => Shop): void {
  it('compares a day with the day before', async () => {
    const { ada, projectId, day, today, yesterday } = shop();
    const overview = await ada.get('/v1/analytics/overview', { project_id: projectId, ...day });
    expect(overview.totals.events).toBe(today.length);
    expect(overview.previous.events).toBe(yesterday.length);
    // Each refused payment is two errors: the answer of the checkout, and the event of the bank.
    expect(overview.totals.errors).toBe(8);
  });

  it('counts its orders by country, and adds up what they are worth', async () => {
    const { ada, projectId, day } = shop();
    const orders = { project_id: projectId, ...day, event: 'order.placed' };
    const countries = await ada.get('/v1/analytics/breakdown', { ...orders, by: 'properties.country', limit: 3 });
    expect(countries).toMatchObject({ total: { events: 26 }, distinct: 3, missing: { events: 0 } });
    const worth = await ada.get('/v1/analytics/timeseries', {
      ...orders,
      interval: 'day',
      timezone: 'Europe/Berlin',
      aggregate: 'sum',
      aggregate_field: 'properties.amount',
      split_by: 'properties.plan',
      top: 2,
    });
    expect(worth.series.map(({ value }: { value: string }) => value).sort()).toEqual(['free', 'pro']);
  });

  it('counts how many visitors of a product page place an order', async () => {
    const { ada, projectId, day } = shop();
    const { steps, conversion } = await ada.get('/v1/analytics/funnel', {
      project_id: projectId,
      ...day,
      by: 'properties.user',
      step: ['product.viewed', 'cart.updated', 'order.placed'],
      within_seconds: 3_600,
    });
    expect(steps.map(({ reached }: { reached: number }) => reached)).toEqual([60, 40, 26]);
    expect(conversion).toBeCloseTo(26 / 60, 5);
  });

  it('measures the latency of its requests, and lists those that failed', async () => {
    const { ada, projectId, day } = shop();
    const of = { project_id: projectId, ...day };
    const requests = { ...of, event: 'http.request' };
    const summary = await ada.get('/v1/performance/summary', { ...requests, apdex_ms: 300, compare: 'previous' });
    expect(summary).toMatchObject({ requests: 130, measured: 130, errors: 4 });
    expect(summary.latency.max_ms).toBeLessThan(900);
    const endpoints = await ada.get('/v1/performance/endpoints', { ...requests, sort: 'p95', limit: 10 });
    expect(endpoints.items.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
      '/checkout',
      '/cart',
      '/products',
    ]);
    const errors = await ada.get('/v1/performance/errors', { ...requests, status_from: 500 });
    expect(errors.by_status).toMatchObject([{ status: 502, requests: 4 }]);
    const series = { ...requests, endpoint: '/checkout', method: 'POST', interval: 'day', timezone: 'Europe/Berlin' };
    expect((await ada.get('/v1/performance/timeseries', series)).points.length).toBeGreaterThan(0);
    const slow = await ada.get('/v1/performance/slowest', { ...requests, min_ms: 300, limit: 5 });
    expect(slow).toHaveLength(5);
    expect(slow[0]).toMatchObject({ method: 'POST', endpoint: '/checkout', latency_bucket: 'very_slow' });
  });

  it('finds the visitors whose payment fails after they have filled a cart', async () => {
    const { ada, projectId, day } = shop();
    const language = await ada.get('/v1/eql', { project_id: projectId });
    expect(language.operators.map(({ name }: { name: string }) => name)).toContain('==');
    const lost = await ada.post('/v1/eql', {
      project_id: projectId,
      query:
        'sequence by properties.user with maxspan=10m [cart.updated where true] [payment.failed where properties.reason == "card_declined"]',
      ...day,
      limit: 10,
    });
    expect(lost.sequences).toHaveLength(4);
  });

  it('searches its project for a word', async () => {
    const { ada, projectId } = shop();
    const { counts, items } = await ada.get('/v1/search', { project_id: projectId, q: 'payment', range: '7d' });
    expect(counts).toMatchObject({ event_type: 1, saved_view: 1 });
    expect(items.length).toBeGreaterThan(1);
  });
}
