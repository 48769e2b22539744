import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { DELIVERY_ENV, type DeliveryClient, deliveryOf, makeDue, ruleMatch, runRetries } from '../support/delivery.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

jest.setTimeout(60_000);

const failed = (attempt: { status: string }): boolean => attempt.status === 'failed';

describe('the delivery engine', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  let channel: string;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    channel = await delivery.webhook(`${receiver.url}/hook`, {
      configuration: {
        method: 'PUT',
        headers: { 'X-Team': 'on-call' },
        retry_policy: { strategy: 'fixed', base_delay_seconds: 60, max_attempts: 2 },
      },
      protected_headers: [{ name: 'Authorization', value: 'Bearer protected-value-0123456789' }],
    });
  });
  afterEach(() => receiver.close());
  afterAll(() => app.close());

  it('sends what a rule has matched, with its headers and in the documented form', async () => {
    const id = await ruleMatch(app, owner.projectId, channel);
    const [request] = await receiver.requests(1);
    expect(request).toMatchObject({
      method: 'PUT',
      path: '/hook',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Delivery/1.0',
        'x-team': 'on-call',
        authorization: 'Bearer protected-value-0123456789',
        'x-service-delivery-id': id,
        'x-service-attempt': '1',
        'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
      },
    });
    expect(JSON.parse(request!.body)).toEqual({
      id,
      type: 'rule_match',
      attempt_id: id,
      project_id: owner.projectId,
      channel_id: channel,
      rule: { name: 'Payments fail' },
      event: { event: 'payment.failed', properties: { amount: 12 } },
      created_at: expect.stringMatching(/Z$/),
    });
    const attempt = await delivery.until(id, ({ status }) => status === 'sent');
    expect(attempt).toMatchObject({
      kind: 'rule_match',
      retry_state: null,
      response_code: 200,
      response_summary: null,
      failure_reason: null,
      retry_count: 0,
      try_number: 1,
      next_retry_at: null,
      lifecycle: ['original'],
      is_dlq: false,
      completed_at: expect.any(String),
      terminal_at: null,
      channel_enabled: true,
      retry_policy: { strategy: 'fixed', base_delay_seconds: 60, max_delay_seconds: 900, max_attempts: 2 },
    });
    expect(await delivery.audits(id)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  it('retries a transient failure by the policy and puts it among the dead letters when no retry is left', async () => {
    receiver.answer(503);
    const id = await ruleMatch(app, owner.projectId, channel);
    const first = await delivery.until(id, failed);
    expect(first).toMatchObject({
      retry_state: 'scheduled_retry',
      retry_count: 0,
      response_code: 503,
      completed_at: null,
    });
    expect(first.lifecycle).toEqual(['original', 'scheduled_retry']);
    expect(Date.parse(first.next_retry_at) - Date.parse(first.created_at)).toBeGreaterThanOrEqual(60_000);
    expect(await runRetries(app)).toBe(0);

    await makeDue(app, id);
    expect(await delivery.attempt(id)).toMatchObject({
      retry_state: 'retryable',
      lifecycle: ['original', 'retryable'],
    });
    expect(await runRetries(app)).toBe(1);
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'scheduled_retry', retry_count: 1 });
    await makeDue(app, id);
    await runRetries(app);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'failed',
      retry_state: 'dlq',
      is_dlq: true,
      retry_count: 2,
      try_number: 3,
      failure_reason: 'http_503: The receiver answered 503',
      lifecycle: ['original', 'dlq'],
      next_retry_at: null,
    });
    const audits = await delivery.audits(id);
    expect(audits.map(({ retry_number, status, response_code }) => [retry_number, status, response_code])).toEqual([
      [2, 'exhausted', 503],
      [1, 'failed', 503],
    ]);
    expect(audits[0]).toMatchObject({
      delivery_id: id,
      worker_id: expect.any(String),
      finished_at: expect.any(String),
    });
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id']))).toEqual(new Set([id]));
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    await makeDue(app, id);
    expect(await runRetries(app)).toBe(0);
  });

  it('records a retry that went through', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, failed);
    receiver.answer(204);
    await makeDue(app, id);
    await runRetries(app);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'sent',
      retry_state: null,
      retry_count: 1,
      failure_reason: null,
    });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'dispatched', response_code: 204, reason: null }]);
  });
});
