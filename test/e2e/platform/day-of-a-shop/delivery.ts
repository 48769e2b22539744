import { expect } from '@jest/globals';
import type { Json } from '../../../support/delivery-api.js';
import { eventually } from '../../../support/eventually.js';
import type { Shop } from '../../../support/shop/shop.js';
import { makeDue } from '../../../support/sql-builders/delivery.js';
import { postponeRetries } from '../../../support/sql-builders/shop.js';
import { it } from './it.js';

/** The delivery channels of the shop. The receivers of two channels fail for a while. */
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

  it('creates channels with protected headers', async () => {
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

  it('keeps its deliveries to failing receivers for a retry or as dead letters', async () => {
    const { ada, server, hooks, jobs, projectId } = shop();
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
    await postponeRetries(warehouse);
    await makeDue(waiting.id);
    expect(await jobs.post('/internal/jobs/delivery-retries')).toEqual({ processed: expect.any(Number) });
    const tried = await eventually(
      () => ada.get('/v1/delivery/retry-audits', { ...of(), delivery_id: waiting.id }),
      ({ items }) => items[0]?.status === 'failed',
    );
    expect(tried).toMatchObject({ items: [{ retry_number: 1, response_code: 503 }], total: 1 });
    await attempts(warehouse, 2, 'scheduled_retry');
    await postponeRetries(warehouse);
  });

  it('sends its waiting deliveries as soon as the receiver works again', async () => {
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

  it('drains one dead letter, and replays another', async () => {
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
