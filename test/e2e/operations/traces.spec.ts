import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlertingApi } from '../../support/alerting-api.js';
import { deliveryOf } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { logText } from '../../support/service-log.js';
import { api, job, tenant, type Tenant } from '../../support/service.js';

/** Returns a header of a client that records its trace. */
function newTrace(): { readonly traceparent: string; readonly traceId: string } {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
}

/** Returns the lines of the log that have a request id, for each of these ids. The log of a whole run is long. */
async function linesOf(...requestIds: string[]): Promise<Record<string, unknown>[][]> {
  const text = await logText();
  return requestIds.map((id) => {
    const lines = text.split('\n').filter((line) => line.includes(id));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  });
}

describe('The log', () => {
  it('names the trace of a request whose client has sent a traceparent, and no trace otherwise', async () => {
    const { traceparent, traceId } = newTrace();
    const [traced, plain, malformed] = [`traced-${traceId}`, `plain-${traceId}`, `malformed-${traceId}`];
    await api.get('/v1/auth/me').set('X-Request-ID', traced).set('traceparent', traceparent).expect(401);
    await api.get('/v1/auth/me').set('X-Request-ID', plain).expect(401);
    await api.get('/v1/auth/me').set('X-Request-ID', malformed).set('traceparent', `${traceparent}0`).expect(401);
    const [ofTraced, ...others] = await linesOf(traced, plain, malformed);
    expect(ofTraced).toEqual([expect.objectContaining({ trace_id: traceId, status: 401 })]);
    expect(others).toHaveLength(2);
    for (const lines of others) expect(lines).toEqual([expect.not.objectContaining({ trace_id: expect.anything() })]);
  });
});

describe('The trace of a request', () => {
  let shop: Tenant;
  let receiver: Receiver;
  let channelId: string;

  beforeAll(async () => {
    [shop, receiver] = await Promise.all([tenant(), startReceiver()]);
    const retry = { strategy: 'fixed', base_delay_seconds: 1, max_delay_seconds: 1, max_attempts: 5 };
    channelId = await deliveryOf(shop).webhook(`${receiver.url}/channel`, { configuration: { retry_policy: retry } });
    await api
      .as(shop.owner)
      .post('/v1/alert-destinations', {
        project_id: shop.projectId,
        name: 'On call',
        type: 'webhook',
        target_url: `${receiver.url}/destination`,
      })
      .expect(201);
  });
  afterAll(() => receiver.close());

  const to = (path: string): Received[] => receiver.received.filter((one) => one.path === path);
  const tracesAt = (path: string): (string | undefined)[] =>
    to(path).map(({ headers }) => headers.traceparent as string | undefined);
  const arrivals = (path: string, count: number) =>
    eventually(
      () => to(path).length,
      (came) => came >= count,
      (came) => `${came} of ${count} requests came to ${path}`,
    );

  it('reaches the receivers of an alert for one of its events, and is kept over retries', async () => {
    const before = to('/channel').length;
    const alerting = new AlertingApi(shop);
    const ruleId = await alerting.rule({ channel_ids: [channelId] });
    const { traceparent } = newTrace();
    let tries = 0;
    receiver.answer((response) => response.writeHead((tries += 1) === 1 ? 503 : 200).end(), '/channel');
    const types = ['cart.viewed', 'payment.tried', 'payment.failed'];
    const send = (lines: string[], trace: string) =>
      api
        .as(shop.key)
        .post('/v1/events/ingest')
        .set({ 'Content-Type': 'application/x-ndjson', traceparent: trace })
        .send(lines.map((event_type) => JSON.stringify({ event_type, source: 'checkout' })).join('\n'))
        .expect(200);
    // Requests at the same time may share a batch.
    const others = types.map(() => send(['cart.viewed', 'cart.left'], newTrace().traceparent));
    await Promise.all([...others, send(types, traceparent)]);
    await alerting.counted(ruleId, 1);
    await arrivals('/channel', before + 2);
    expect(tracesAt('/channel').slice(before)).toEqual([traceparent, traceparent]);
  });

  it('reaches the destinations of an alert that a person raises, and a test of a channel', async () => {
    const { traceparent } = newTrace();
    const earlier = to('/destination').length;
    await new AlertingApi(shop).raise().set('traceparent', traceparent).expect(201);
    await arrivals('/destination', earlier + 1);
    expect(tracesAt('/destination').slice(earlier)).toEqual([traceparent]);

    const before = to('/channel').length;
    await api
      .as(shop.owner)
      .post(`/v1/delivery/channels/${channelId}/test?project_id=${shop.projectId}`)
      .set('traceparent', traceparent)
      .expect(200);
    expect(tracesAt('/channel').slice(before)).toEqual([traceparent]);
  });

  it('is not given to receivers when the client has sent none', async () => {
    const before = to('/destination').length;
    await new AlertingApi(shop).raised();
    await job('alert-deliveries');
    await arrivals('/destination', before + 1);
    expect(tracesAt('/destination').at(-1)).toBeUndefined();
  });
});
