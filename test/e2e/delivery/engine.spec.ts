import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { retried } from '../../support/delivery-retries.js';
import { eventually } from '../../support/eventually.js';
import { type Reaction, type Receiver, startReceiver } from '../../support/receiver.js';
import { api, job, service, type Tenant, tenant } from '../../support/service.js';
import { makeDue } from '../../support/sql-builders/delivery.js';
import {
  abandonClaim,
  deliveryRows,
  dueAttempts,
  endWaitingAttempts,
  expireClaim,
  holdingDueAttempt,
} from '../../support/sql-builders/delivery-engine.js';
import { moveUsageBack } from '../../support/sql-builders/tenancy.js';
import { backdateProjectDeletion } from '../../support/sql-builders/entitlement.js';

const TIME = expect.stringMatching(/Z$/) as unknown;

const failed = (attempt: Json): boolean => attempt.status === 'failed';
const sent = (attempt: Json): boolean => attempt.status === 'sent';

let acme: Tenant;
let delivery: DeliveryClient;
let receiver: Receiver;
let channel: string;

async function newTenant(): Promise<void> {
  acme = await tenant();
  delivery = deliveryOf(acme);
}

async function newChannel(): Promise<void> {
  receiver = await startReceiver();
  channel = await delivery.webhook(`${receiver.url}/hook`, {
    configuration: {
      method: 'PUT',
      headers: { 'X-Team': 'on-call' },
      // Nothing comes due by itself, however slow the machine is.
      retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 7_200, max_attempts: 2 },
    },
    protected_headers: [{ name: 'Authorization', value: 'Bearer protected-value-0123456789' }],
  });
}

describe('the delivery engine', () => {
  beforeEach(newTenant);
  beforeEach(newChannel);
  afterEach(() => receiver.close());

  const internal = (path: string) => api.get(path).set('X-Internal-Token', service.internalToken).expect(200);

  it('sends what a rule has matched, with the headers of the channel and in the documented form', async () => {
    const id = await ruleMatch(acme, channel);
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
    const attempt = await delivery.until(id, sent);
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
      retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 7_200, max_attempts: 2 },
    });
    expect(JSON.parse(request!.body)).toEqual({
      id,
      type: 'rule_match',
      attempt_id: id,
      project_id: acme.projectId,
      channel_id: channel,
      rule: { id: attempt.rule_id, name: 'Payments fail', severity: 'warning' },
      event: {
        alert_event_id: expect.any(String),
        id: attempt.event_id,
        type: expect.stringMatching(/^payment\.failed\./),
        source: 'shop',
        severity: 'warning',
        status: 'open',
        message: expect.stringMatching(/^Payments fail: payment\.failed\./),
        payload: { amount: 12, source: 'shop' },
        group: {},
        event_message: null,
        event_at: TIME,
        occurrences: 1,
        created_at: TIME,
      },
      created_at: TIME,
    });
    expect(attempt.request).toEqual({
      method: 'PUT',
      url: `${receiver.url}/hook`,
      headers: expect.arrayContaining([
        { name: 'X-Team', value: 'on-call', is_protected: false },
        { name: 'Authorization', value: '[redacted]', is_protected: true },
        { name: 'X-Service-Attempt', value: '1', is_protected: false },
        { name: 'webhook-id', value: id, is_protected: false },
        { name: 'webhook-signature', value: request!.headers['webhook-signature'], is_protected: false },
      ]),
      body: { text: request!.body, is_truncated: false },
    });
    expect((await delivery.get('/history')).body.items[0]).not.toHaveProperty('request');
    expect(await delivery.audits(id)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  it('retries a transient failure by the policy and puts it among the dead letters when no retry is left', async () => {
    receiver.answer(503);
    const id = await ruleMatch(acme, channel);
    const first = await delivery.until(id, failed);
    expect(first).toMatchObject({
      retry_state: 'scheduled_retry',
      retry_count: 0,
      response_code: 503,
      completed_at: null,
    });
    expect(first.lifecycle).toEqual(['original', 'scheduled_retry']);
    expect(Date.parse(first.next_retry_at) - Date.parse(first.created_at)).toBeGreaterThanOrEqual(3_600_000);
    await job('delivery-retries');
    expect(await delivery.attempt(id)).toEqual(first);
    expect(receiver.received).toHaveLength(1);

    await holdingDueAttempt(id, async () => {
      const due = await delivery.until(id, ({ retry_state }) => retry_state === 'retryable');
      expect(due.lifecycle).toEqual(['original', 'retryable']);
    });
    expect(await retried(delivery, id)).toMatchObject({ retry_state: 'scheduled_retry', retry_count: 1 });
    expect(receiver.received).toHaveLength(2);
    expect(await retried(delivery, id)).toMatchObject({
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
    await makeDue(id);
    await job('delivery-retries');
    expect(receiver.received).toHaveLength(3);
    expect(await delivery.audits(id)).toEqual(audits);
  });

  it('records a retry that succeeded', async () => {
    receiver.answer(500);
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, failed);
    receiver.answer(204);
    expect(await retried(delivery, id)).toMatchObject({
      status: 'sent',
      retry_state: null,
      retry_count: 1,
      failure_reason: null,
    });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'dispatched', response_code: 204, reason: null }]);
  });

  it('sends the attempts of one fingerprint to a channel in order, also while the first is retried', async () => {
    const match = (fingerprint: string, at: string): Promise<string> =>
      dueAttempts({ projectId: acme.projectId, channelId: channel, fingerprint, event: { at } }, 1).then(
        ([id = '']) => id,
      );
    receiver.answer(503);
    const first = await match('checkout', 'first');
    await job('delivery-retries');
    await delivery.until(first, failed);
    receiver.answer(200);
    const second = await match('checkout', 'second');
    const other = await match('search', 'other');
    await job('delivery-retries');
    await delivery.until(other, sent);
    expect(await delivery.attempt(second)).toMatchObject({ status: 'pending', try_number: 0 });
    await retried(delivery, first);
    await delivery.until(second, sent);
    const events = receiver.received.map(({ body }) => JSON.parse(body).event.at as string);
    expect(events).toEqual(['first', 'other', 'first', 'second']);
  });

  it('makes an attempt for a disabled channel and does not send it', async () => {
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    const id = await ruleMatch(acme, channel);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'failed',
      retry_state: 'terminal',
      failure_reason: 'channel_disabled',
      terminal_at: expect.any(String),
      lifecycle: ['original', 'terminal', 'replay_blocked'],
    });
    await delivery.send('patch', `/channels/${channel}`, { enabled: true });
    expect(await delivery.attempt(id)).toMatchObject({ lifecycle: ['original', 'terminal'] });
    expect(receiver.connections()).toBe(0);
  });

  it('does not send a retry that comes due after its channel was disabled', async () => {
    receiver.answer(500);
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, failed);
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    expect(await retried(delivery, id)).toMatchObject({ retry_state: 'terminal', retry_count: 0, try_number: 1 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'skipped', reason: 'channel_disabled' }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('ends the claim of a worker that died as a transient failure, so that an attempt that kills workers ends', async () => {
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, sent);
    await abandonClaim(id, { status: 'pending', retryCount: 0 });
    await job('delivery-retries');
    expect(await delivery.until(id, failed)).toMatchObject({
      status: 'failed',
      retry_state: 'scheduled_retry',
      failure_reason: 'lease_expired',
      response_code: null,
      request: expect.objectContaining({ method: 'PUT' }),
    });
    await abandonClaim(id, { status: 'failed', retryCount: 2 });
    await job('delivery-retries');
    const dead = await delivery.until(id, ({ retry_state }) => retry_state === 'dlq');
    expect(dead).toMatchObject({ retry_state: 'dlq', failure_reason: 'lease_expired' });
    expect(receiver.received).toHaveLength(1);
  });

  it('does not overwrite the result that was written after it lost its claim, and records and counts the loss', async () => {
    const lostLeases = async (): Promise<number> =>
      Number(/^oes_delivery_lost_leases_total (\d+)$/m.exec((await internal('/metrics')).text)?.[1] ?? 0);
    const lostBefore = await lostLeases();
    let release: () => void = () => undefined;
    receiver.answer(500);
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, failed);
    receiver.answer((response) => void (release = () => response.writeHead(200).end()));
    await makeDue(id);
    const round = job('delivery-retries');
    await receiver.requests(2);
    await expireClaim(id);
    // A round ends expired claims first, and then waits for the sends that are under way.
    const next = job('delivery-retries');
    await delivery.until(id, ({ failure_reason }) => failure_reason === 'lease_expired');
    release();
    await Promise.all([round, next]);
    const audits = await eventually(
      () => delivery.audits(id),
      ({ length }) => length > 1,
    );
    expect(audits.map(({ status, reason }) => [status, reason])).toEqual([
      ['skipped', 'lease_lost'],
      ['failed', 'lease_expired'],
    ]);
    expect(await delivery.attempt(id)).toMatchObject({ status: 'failed', failure_reason: 'lease_expired' });
    await eventually(lostLeases, (lost) => lost > lostBefore);
  });

  it('sends sixty attempts once each while another receiver hangs, which gets at most ten requests at a time', async () => {
    let [open, most] = [0, 0];
    const hanging = await startReceiver((response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => (open -= 1));
    });
    const stuck = await delivery.webhook(hanging.url, {
      configuration: { retry_policy: { base_delay_seconds: 3_600 } },
    });
    await dueAttempts({ projectId: acme.projectId, channelId: stuck }, 30);
    const ids = await dueAttempts({ projectId: acme.projectId, channelId: channel }, 60);
    const round = job('delivery-retries');
    const came = await receiver.requests(60);
    expect(new Set(came.map(({ headers }) => headers['x-service-delivery-id']))).toEqual(new Set(ids));
    await hanging.requests(1);
    expect(most).toBeLessThanOrEqual(10);
    await endWaitingAttempts(stuck);
    await hanging.close();
    await round;
    for (const id of ids) await delivery.until(id, sent);
    expect(receiver.received).toHaveLength(60);
  });

  it('sends nothing of a deleted project any more, and its evidence is removed after the grace period', async () => {
    receiver.answer(500);
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, failed);
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}`).expect(204);
    await makeDue(id);
    await job('delivery-retries');
    expect(receiver.received).toHaveLength(1);
    await backdateProjectDeletion(acme.projectId);
    // Other tests delete projects, too, and a round of maintenance removes a few projects.
    await eventually(
      async () => {
        // The counts of usage keep a project until the month is over.
        await moveUsageBack(acme.projectId, 31);
        await job('maintenance');
        return deliveryRows(acme.projectId);
      },
      (rows) => Object.values(rows).every((count) => count === 0),
    );
    expect(receiver.received).toHaveLength(1);
  });

  it('exports its backlog, what is under way and the outcomes as metrics', async () => {
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, sent);
    // The service renders its metrics once a second.
    const text = await eventually(
      async () => (await internal('/metrics')).text,
      (metrics) => /^oes_delivery_outcomes_total/m.test(metrics),
    );
    for (const name of ['oes_delivery_backlog', 'oes_delivery_oldest_due_seconds', 'oes_delivery_in_flight'])
      expect(text).toMatch(new RegExp(`^${name}`, 'm'));
  });

  it('lists its jobs for the internal token, and runs none of them without the token', async () => {
    const { body } = await internal('/internal/jobs');
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['delivery-retries', 'delivery-wake', 'dlq-drains']),
    );
    await api.post('/internal/jobs/delivery-retries').expect(401);
  });

  it('reports healthy workers in the health of the service', async () => {
    expect((await api.get('/health').expect(200)).body).toMatchObject({ checks: { workers: 'healthy' } });
  });
});

describe('the delivery engine that gets an answer', () => {
  beforeAll(newTenant);
  beforeEach(newChannel);
  afterEach(() => receiver.close());

  const REDIRECT = (response: ServerResponse): void => void response.writeHead(302, { Location: '/elsewhere' }).end();
  const HANG = (): void => undefined;
  const TRICKLE = (response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Length': '100000' });
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  };
  const RESET = (_response: ServerResponse, _received: unknown, socket: Socket): void => void socket.resetAndDestroy();
  const SHORT = (response: ServerResponse, _received: unknown, socket: Socket): void => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('short', () => socket.destroy());
  };
  const GARBAGE = (_response: ServerResponse, _received: unknown, socket: Socket): void =>
    void socket.end('not HTTP at all\r\n\r\n');
  const HUGE = (response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const block = Buffer.alloc(1_048_576, 'h');
    let written = 0;
    const more = (): void => {
      while (written < 100 && !response.destroyed) if (((written += 1), !response.write(block))) break;
      if (written < 100) response.once('drain', more);
      else response.end();
    };
    more();
  };

  it.each<[string, string, string | null, number | null, string | null, Reaction]>([
    ['the answer 200', 'sent', null, 200, null, 200],
    ['the answer 204', 'sent', null, 204, null, 204],
    ['the answer 299', 'sent', null, 299, null, 299],
    ['a redirect', 'failed', 'terminal', 302, 'http_302', REDIRECT],
    ['the answer 304', 'failed', 'terminal', 304, 'http_304', 304],
    ['the answer 400', 'failed', 'terminal', 400, 'http_400', 400],
    ['the answer 401', 'failed', 'terminal', 401, 'http_401', 401],
    ['the answer 404', 'failed', 'terminal', 404, 'http_404', 404],
    ['the answer 408', 'failed', 'scheduled_retry', 408, 'http_408', 408],
    ['the answer 409', 'failed', 'terminal', 409, 'http_409', 409],
    ['the answer 410', 'failed', 'terminal', 410, 'http_410: .*consider disabling', 410],
    ['the answer 425', 'failed', 'scheduled_retry', 425, 'http_425', 425],
    ['the answer 429', 'failed', 'scheduled_retry', 429, 'http_429', 429],
    ['the answer 500', 'failed', 'scheduled_retry', 500, 'http_500', 500],
    ['the answer 501', 'failed', 'scheduled_retry', 501, 'http_501', 501],
    ['the answer 503', 'failed', 'scheduled_retry', 503, 'http_503', 503],
    ['the answer 599', 'failed', 'scheduled_retry', 599, 'http_599', 599],
    ['a reset connection', 'failed', 'scheduled_retry', null, 'connection_reset', RESET],
    ['an answer that is no HTTP', 'failed', 'scheduled_retry', null, 'protocol_error', GARBAGE],
  ])(
    'reports %s as %s with the retry state %s, the code %s and the reason %s',
    async (_, status, retryState, code, reason, reaction) => {
      receiver.answer(reaction);
      const id = await ruleMatch(acme, channel);
      const attempt = await delivery.until(id, (seen) => seen.status !== 'pending');
      expect(attempt).toMatchObject({ status, retry_state: retryState, response_code: code });
      if (reason === null) expect(attempt.failure_reason).toBeNull();
      else expect(attempt.failure_reason).toMatch(new RegExp(`^${reason}`));
      expect(receiver.received).toHaveLength(1);
    },
  );

  it.each<[string, Reaction]>([
    ['ends before its announced length', SHORT],
    ['has 100 megabytes', HUGE],
  ])('ends a send soon and stores at most 500 characters when the answer %s', async (_, reaction) => {
    receiver.answer(reaction);
    const id = await ruleMatch(acme, channel);
    const attempt = await delivery.until(id, (seen) => seen.status !== 'pending');
    expect(['sent', 'failed']).toContain(attempt.status);
    expect((attempt.response_summary ?? '').length).toBeLessThanOrEqual(500);
    expect(attempt.response_metadata.duration_ms).toBeLessThan(30_000);
  });

  it('ends a send at its time limit when no answer comes, and when the answer arrives byte by byte', async () => {
    const slow = await startReceiver(TRICKLE);
    receiver.answer(HANG);
    const [silent, trickling] = [
      await ruleMatch(acme, channel),
      await ruleMatch(acme, await delivery.webhook(slow.url)),
    ];
    const isOver = (seen: Json): boolean => seen.status !== 'pending';
    expect(await delivery.until(silent, isOver)).toMatchObject({
      status: 'failed',
      retry_state: 'scheduled_retry',
      response_code: null,
      failure_reason: expect.stringMatching(/^timeout/),
    });
    expect(receiver.received).toHaveLength(1);
    const attempt = await delivery.until(trickling, isOver);
    expect(['sent', 'failed']).toContain(attempt.status);
    expect((attempt.response_summary ?? '').length).toBeLessThanOrEqual(500);
    expect(attempt.response_metadata.duration_ms).toBeLessThan(30_000);
    await slow.close();
  });

  it('schedules a retry when the receiver does not listen, has no address or does not speak TLS', async () => {
    const gone = await startReceiver();
    await gone.close();
    for (const url of [gone.url, 'http://nobody.invalid/', receiver.url.replace('http:', 'https:')]) {
      const away = await delivery.webhook(url);
      const id = await ruleMatch(acme, away);
      expect(await delivery.until(id, failed)).toMatchObject({ retry_state: 'scheduled_retry', response_code: null });
    }
  });

  // A 429 replaces the wait of the policy, a 503 may only make it longer, and no other answer changes it.
  it.each([
    [5_000, 5_001, 429, '5000'],
    [20, 60, 429, '20'],
    [7_200, 9_000, 503, '100000'],
    [3_600, 5_000, 503, '20'],
    [3_600, 5_000, 500, '5000'],
    [3_600, 5_000, 429, 'nonsense'],
  ])(
    'waits at least %i and less than %i seconds after the answer %i with Retry-After: %s',
    async (least, limit, status, value) => {
      receiver.answer((response) => void response.writeHead(status, { 'Retry-After': value }).end());
      const id = await ruleMatch(acme, channel);
      const { created_at, next_retry_at } = await delivery.until(id, failed);
      expect(Date.parse(next_retry_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(least * 1_000);
      expect(Date.parse(next_retry_at) - Date.now()).toBeLessThan(limit * 1_000);
    },
  );
});
