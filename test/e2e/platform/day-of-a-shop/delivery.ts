import { expect, it } from '@jest/globals';
import { type Json, makeDue, runRetries } from '../../../support/delivery.js';
import { eventually } from '../../../support/eventually.js';
import type { Shop } from '../../../support/shop/shop.js';

/** Channels of the shop, of which two cannot be reached for a while. */
export function delivery(shop: () => Shop): void {
  let warehouse = '';
  let books = '';
  const of = () => ({ project_id: shop().projectId });
  const attempts = async (channelId: string, count: number, retryState: string): Promise<Json[]> => {
    const found = await eventually(
      () => shop().ada.get('/v1/delivery/history', { ...of(), channel_id: channelId, retry_state: retryState }),
      ({ total }) => total === count,
    );
    return found.items;
  };

  it('opens channels, with credentials that nobody reads again', async () => {
    const { ada, hooks } = shop();
    const webhook = (name: string, path: string, retries: number, more: object = {}): Promise<Json> =>
      ada.post('/v1/delivery/channels', {
        ...of(),
        name,
        type: 'webhook',
        configuration: {
          url: `${hooks.url}${path}`,
          method: 'POST',
          headers: { 'X-Team': 'fulfilment' },
          retry_policy: { strategy: 'fixed', base_delay_seconds: 60, max_delay_seconds: 60, max_attempts: retries },
        },
        ...more,
      });
    const authorization = { name: 'Authorization', value: 'Bearer {{secret:ON_CALL_TOKEN}}' };
    ({ id: warehouse } = await webhook('Warehouse', '/warehouse', 3, { protected_headers: [authorization] }));
    ({ id: books } = await webhook('Bookkeeping', '/books', 0));
    expect((await ada.post(`/v1/delivery/channels/${warehouse}/test`, undefined, of())).ok).toBe(true);
    const headers = `/v1/delivery/channels/${books}/protected-headers`;
    await ada.post(headers, { name: 'X-Books-Token', value: 'example-books-token' }, of());
    await ada.patch(`${headers}/X-Books-Token`, { value: 'example-rotated-token' }, of());
    await ada.delete(`${headers}/X-Books-Token`, of());
    const mail = await ada.post('/v1/delivery/channels', {
      ...of(),
      name: 'Mail to the owners',
      type: 'email',
      configuration: { to: ['ada@acme.example'], subject_prefix: '[Web shop]' },
    });
    expect(await ada.get('/v1/delivery/channels', of())).toHaveLength(3);
    await ada.delete(`/v1/delivery/channels/${mail.id}`, of());
  });

  it('orders while nobody can be reached, and nothing is lost', async () => {
    const { app, ada, server, hooks, projectId } = shop();
    for (const path of ['/warehouse', '/books']) hooks.answer(503, path);
    await ada.post('/v1/alert-rules', {
      project_id: projectId,
      name: 'Large order',
      severity: 'info',
      condition: {
        kind: 'match',
        all: [
          { field: 'event', op: 'eq', value: 'order.placed' },
          { field: 'properties.amount', op: 'gte', value: 1_000 },
        ],
      },
      group_by: ['properties.user'],
      channel_ids: [warehouse, books],
    });
    for (const [nth, amount] of [1_250, 2_400].entries()) {
      await server.post('/v1/events/ingest', {
        event_type: 'order.placed',
        source: 'shop',
        properties: { user: `restaurant-${nth + 1}`, country: 'FR', plan: 'pro', amount, currency: 'EUR' },
      });
    }
    await attempts(books, 2, 'dlq');
    const [waiting] = await attempts(warehouse, 2, 'scheduled_retry');
    await makeDue(app, waiting.id);
    expect(await runRetries(app)).toBe(1);
    const tried = await eventually(
      () => ada.get('/v1/delivery/retry-audits', { ...of(), delivery_id: waiting.id }),
      ({ items }) => items[0]?.status === 'failed',
    );
    expect(tried.items[0]).toMatchObject({ retry_number: 1, response_code: 503 });
  });

  it('sends again what waits as soon as the warehouse is back', async () => {
    const { grace, hooks } = shop();
    hooks.answer(200, '/warehouse');
    for (const { id } of await attempts(warehouse, 2, 'scheduled_retry')) {
      const path = `/v1/delivery/history/${id}`;
      expect(await grace.post(`${path}/retry-now-readiness`, undefined, of())).toMatchObject({
        allowed: true,
        action: 'retry_now',
      });
      const retried = await grace.post(`${path}/retry-now`, undefined, of());
      expect(retried).toMatchObject({ executed: true, attempt: { status: 'sent', response_code: 200 } });
    }
    const audits = await grace.get('/v1/delivery/retry-audits', { ...of(), status: 'dispatched' });
    expect(audits.total).toBe(2);
  });

  it('brings the dead letters of the bookkeeping to life', async () => {
    const { ada, grace, hooks } = shop();
    const letters = await attempts(books, 2, 'dlq');
    hooks.answer(200, '/books');
    await ada.patch(
      `/v1/delivery/channels/${books}`,
      {
        name: 'Bookkeeping of orders',
        configuration: {
          url: `${hooks.url}/books`,
          method: 'PUT',
          retry_policy: { strategy: 'exponential', base_delay_seconds: 60, max_delay_seconds: 900, max_attempts: 5 },
        },
      },
      of(),
    );
    const [drained, replayed] = letters.map(({ id }) => `/v1/delivery/history/${id}`);
    expect(await ada.post(`${drained}/dlq-drain-readiness`, undefined, of())).toMatchObject({
      allowed: true,
      action: 'dlq_drain',
    });
    expect(await ada.post(`${drained}/dlq-drain`, undefined, of())).toMatchObject({ delivery_status: 'sent' });
    expect(await grace.post(`${replayed}/replay-readiness`, undefined, of())).toMatchObject({
      allowed: true,
      action: 'replay',
    });
    const { replay_attempt: again } = await grace.post(`${replayed}/replay`, undefined, of());
    expect(again).toMatchObject({ status: 'sent', lifecycle: ['replay'] });
    expect((await ada.get(`${replayed}`, of())).lineage.replay_attempt_id).toBe(again.id);
    expect((await ada.get(`/v1/delivery/history/${again.id}`, of())).response_code).toBe(200);
    expect((await ada.get('/v1/delivery/history', { ...of(), status: 'sent', kind: 'rule_match' })).total).toBe(4);
  });
}
