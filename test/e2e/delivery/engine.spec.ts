import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Test } from 'supertest';
import { asProjectId } from '../../../src/modules/access/index.js';
import { DeliveryRequestService } from '../../../src/modules/delivery/deliveries/index.js';
import { AttemptClaimsRepository } from '../../../src/modules/delivery/deliveries/engine/attempt-claims.repository.js';
import {
  DELIVERY_ENGINE,
  type DeliveryEngine,
} from '../../../src/modules/delivery/deliveries/engine/attempt.outbox.js';
import { Database } from '../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  INTERNAL_TOKEN,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { type Reaction, type Receiver, startReceiver } from '../../support/receiver.js';

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
        // Nothing comes due by itself, however slow the machine is.
        retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 7_200, max_attempts: 2 },
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
      retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 7_200, max_attempts: 2 },
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
    expect(Date.parse(first.next_retry_at) - Date.parse(first.created_at)).toBeGreaterThanOrEqual(3_600_000);
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
    let sent = 0;
    const more = (): void => {
      while (sent < 100 && !response.destroyed) if (((sent += 1), !response.write(block))) break;
      if (sent < 100) response.once('drain', more);
      else response.end();
    };
    more();
  };
  const withRetryAfter =
    (status: number, value: string) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, { 'Retry-After': value }).end();

  // reaction → status, retry state, code, reason
  it.each<[string, Reaction, string, string | null, number | null, string | null]>([
    ['200', 200, 'sent', null, 200, null],
    ['204', 204, 'sent', null, 204, null],
    ['299', 299, 'sent', null, 299, null],
    [
      'a redirect',
      (r) => void r.writeHead(302, { Location: '/elsewhere' }).end(),
      'failed',
      'terminal',
      302,
      'http_302',
    ],
    ['304', 304, 'failed', 'terminal', 304, 'http_304'],
    ['400', 400, 'failed', 'terminal', 400, 'http_400'],
    ['401', 401, 'failed', 'terminal', 401, 'http_401'],
    ['404', 404, 'failed', 'terminal', 404, 'http_404'],
    ['408', 408, 'failed', 'scheduled_retry', 408, 'http_408'],
    ['409', 409, 'failed', 'terminal', 409, 'http_409'],
    ['410', 410, 'failed', 'terminal', 410, 'http_410: .*consider disabling'],
    ['425', 425, 'failed', 'scheduled_retry', 425, 'http_425'],
    ['429', 429, 'failed', 'scheduled_retry', 429, 'http_429'],
    ['500', 500, 'failed', 'scheduled_retry', 500, 'http_500'],
    ['501', 501, 'failed', 'scheduled_retry', 501, 'http_501'],
    ['503', 503, 'failed', 'scheduled_retry', 503, 'http_503'],
    ['599', 599, 'failed', 'scheduled_retry', 599, 'http_599'],
    ['silence', HANG, 'failed', 'scheduled_retry', null, 'timeout'],
    ['a reset', RESET, 'failed', 'scheduled_retry', null, 'connection_reset'],
    ['garbage', GARBAGE, 'failed', 'scheduled_retry', null, 'protocol_error'],
  ])('takes %s for what it is', async (_, reaction, status, retryState, code, reason) => {
    receiver.answer(reaction);
    const id = await ruleMatch(app, owner.projectId, channel);
    const attempt = await delivery.until(id, (seen) => seen.status !== 'pending');
    expect(attempt).toMatchObject({ status, retry_state: retryState, response_code: code });
    if (reason === null) expect(attempt.failure_reason).toBeNull();
    else expect(attempt.failure_reason).toMatch(new RegExp(`^${reason}`));
    expect(receiver.received).toHaveLength(1);
  });

  it('is not held up by answers that trickle, end early or never end', async () => {
    for (const reaction of [TRICKLE, SHORT, HUGE]) {
      receiver.answer(reaction);
      const id = await ruleMatch(app, owner.projectId, channel);
      const attempt = await delivery.until(id, (seen) => seen.status !== 'pending');
      expect(['sent', 'failed']).toContain(attempt.status);
      expect((attempt.response_summary ?? '').length).toBeLessThanOrEqual(500);
      expect(attempt.response_metadata.duration_ms).toBeLessThan(30_000);
    }
  });

  it('takes a receiver that is away, or a name that is not there, for transient', async () => {
    const gone = await startReceiver();
    await gone.close();
    for (const url of [gone.url, 'http://nobody.invalid/', receiver.url.replace('http:', 'https:')]) {
      const away = await delivery.webhook(url);
      const id = await ruleMatch(app, owner.projectId, away);
      expect(await delivery.until(id, failed)).toMatchObject({ retry_state: 'scheduled_retry', response_code: null });
    }
  });

  it('waits as long as 429 asks and at least as long as 503 asks, up to the policy, and hears nothing from others', async () => {
    const waits: number[] = [];
    for (const [status, value] of [
      [429, '5000'],
      [429, '20'],
      [503, '100000'],
      [503, '20'],
      [500, '5000'],
      [429, 'nonsense'],
    ] as const) {
      receiver.answer(withRetryAfter(status, value));
      const id = await ruleMatch(app, owner.projectId, channel);
      await delivery.until(id, failed);
      const [row] = await app.rows<{ wait: number }>(
        `SELECT extract(epoch FROM due_at - created_at)::float8 AS wait FROM delivery_attempts WHERE id = $1`,
        [id],
      );
      waits.push(row?.wait ?? 0);
    }
    const [asked = 0, shorter = 0, capped = 0, own = 0, unheard = 0, nonsense = 0] = waits;
    expect(asked).toBeGreaterThanOrEqual(5_000);
    expect(capped).toBeGreaterThanOrEqual(7_200);
    expect(capped).toBeLessThan(9_000);
    expect(shorter).toBeGreaterThanOrEqual(20);
    expect(shorter).toBeLessThan(60);
    for (const wait of [own, unheard, nonsense]) {
      expect(wait).toBeGreaterThanOrEqual(3_600);
      expect(wait).toBeLessThan(5_000);
    }
  });

  it('sends a retry when it is due and not at the next poll, which is an hour away', async () => {
    let answers = 0;
    receiver.answer((response) => response.writeHead(++answers < 3 ? 503 : 200).end());
    const quick = await delivery.webhook(`${receiver.url}/hook`, {
      configuration: { retry_policy: { strategy: 'fixed', base_delay_seconds: 1, max_delay_seconds: 1 } },
    });
    const id = await ruleMatch(app, owner.projectId, quick);
    await delivery.until(id, ({ status }) => status === 'sent');
    const times = receiver.received.map(({ at }) => at);
    expect(times).toHaveLength(3);
    for (const wait of [times[1]! - times[0]!, times[2]! - times[1]!]) {
      expect(wait).toBeGreaterThanOrEqual(1_000);
      expect(wait).toBeLessThan(5_000);
    }
  });

  it('sends what one fingerprint brings to a channel in order, also while the first is retried', async () => {
    receiver.answer(503);
    const first = await ruleMatch(app, owner.projectId, channel, { fingerprint: 'checkout', event: { at: 'first' } });
    await delivery.until(first, failed);
    receiver.answer(200);
    const second = await ruleMatch(app, owner.projectId, channel, { fingerprint: 'checkout', event: { at: 'second' } });
    const other = await ruleMatch(app, owner.projectId, channel, { fingerprint: 'search', event: { at: 'other' } });
    await delivery.until(other, ({ status }) => status === 'sent');
    expect(await delivery.attempt(second)).toMatchObject({ status: 'pending', try_number: 0 });
    await makeDue(app, first);
    await runRetries(app);
    await delivery.until(second, ({ status }) => status === 'sent');
    const events = receiver.received.map(({ body }) => JSON.parse(body).event.at as string);
    expect(events).toEqual(['first', 'other', 'first', 'second']);
  });

  it('makes an attempt for a disabled channel that is not sent, and none for a channel of another project', async () => {
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    const id = await ruleMatch(app, owner.projectId, channel);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'failed',
      retry_state: 'terminal',
      failure_reason: 'channel_disabled',
      terminal_at: expect.any(String),
      lifecycle: ['original', 'terminal', 'replay_blocked'],
    });
    await delivery.send('patch', `/channels/${channel}`, { enabled: true });
    expect(await delivery.attempt(id)).toMatchObject({ lifecycle: ['original', 'terminal'] });
    const stranger = await ownerWithProject(app);
    await expect(ruleMatch(app, stranger.projectId, channel)).rejects.toThrow('no such channel');
  });

  it('does not send what comes due after its channel was disabled', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, failed);
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    await makeDue(app, id);
    await runRetries(app);
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'terminal', retry_count: 0, try_number: 1 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'skipped', reason: 'channel_disabled' }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('makes nothing when the transaction of the cause is undone', async () => {
    const database = app.nest.get(Database);
    const requests = app.nest.get(DeliveryRequestService, { strict: false });
    const undone = database.transaction(async (tx) => {
      await requests.ruleMatch(tx, {
        projectId: owner.projectId,
        channelId: channel,
        rule: null,
        event: null,
        ruleId: null,
      });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await delivery.get('/history', { channel_id: channel })).body.total).toBe(0);
    expect(receiver.connections()).toBe(0);
  });

  it('ends a claim whose holder did not come back as a transient failure, so that a poison row dies', async () => {
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, ({ status }) => status === 'sent');
    const lose = (status: string, retries: number): Promise<unknown[]> =>
      app.rows(
        `UPDATE delivery_attempts SET status = $2, retry_state = CASE $2 WHEN 'pending' THEN 'pending' ELSE 'scheduled_retry' END,
           due_at = now(), claim_token = gen_random_uuid(), claim_owner = 'dead', claim_kind = 'worker',
           claim_expires_at = now() - interval '1 second', retry_count = $3 WHERE id = $1`,
        [id, status, retries],
      );
    await lose('pending', 0);
    expect(await runRetries(app)).toBe(1);
    expect(await delivery.attempt(id)).toMatchObject({
      status: 'failed',
      retry_state: 'scheduled_retry',
      failure_reason: 'lease_expired',
      response_code: null,
    });
    await lose('failed', 2);
    await runRetries(app);
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'dlq', failure_reason: 'lease_expired' });
    expect(receiver.received).toHaveLength(1);
  });

  it('never writes over what came after its claim was lost, and keeps the evidence', async () => {
    let release: () => void = () => undefined;
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, failed);
    receiver.answer((response) => void (release = () => response.writeHead(200).end()));
    await makeDue(app, id);
    const round = runRetries(app);
    await receiver.requests(2);
    await app.rows(`UPDATE delivery_attempts SET claim_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await app.nest.get<DeliveryEngine>(DELIVERY_ENGINE, { strict: false }).endExpired();
    release();
    await round;
    expect(await delivery.attempt(id)).toMatchObject({ status: 'failed', failure_reason: 'lease_expired' });
    const audits = await delivery.audits(id);
    expect(audits.map(({ status, reason }) => [status, reason])).toEqual([
      ['skipped', 'lease_lost'],
      ['failed', 'lease_expired'],
    ]);
    expect(await app.metrics()).toMatch(/delivery_lost_leases_total [1-9]/);
  });

  it('gives back, uncounted, what it has too little time left for', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, failed);
    await makeDue(app, id);
    const claims = app.nest.get(AttemptClaimsRepository, { strict: false });
    const tenant = { projectId: asProjectId(owner.projectId) };
    const claimed = await claims.claimOne(tenant, { owner: 'slow', kind: 'worker', leaseSeconds: 60 }, id);
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'scheduled_retry', retry_count: 1, try_number: 2 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'claimed', worker_id: 'slow', retry_number: 1 }]);
    const engine = app.nest.get<DeliveryEngine>(DELIVERY_ENGINE, { strict: false });
    await engine.send({ ...claimed!, heldUntil: performance.now() + 400 });
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'retryable', retry_count: 0, try_number: 1 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'skipped', reason: 'given_back' }]);
    expect(receiver.received).toHaveLength(1);
    expect(await runRetries(app)).toBe(1);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it('sends each of many once, a few of each channel at a time, whoever hangs', async () => {
    let [open, most] = [0, 0];
    const hanging = await startReceiver((response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => (open -= 1));
    });
    const stuck = await delivery.webhook(hanging.url, {
      configuration: { retry_policy: { base_delay_seconds: 3_600 } },
    });
    for (let at = 0; at < 30; at += 1) await ruleMatch(app, owner.projectId, stuck);
    const ids: string[] = [];
    for (let at = 0; at < 60; at += 1) ids.push(await ruleMatch(app, owner.projectId, channel));
    const came = await receiver.requests(60);
    expect(new Set(came.map(({ headers }) => headers['x-service-delivery-id']))).toEqual(new Set(ids));
    expect(most).toBeLessThanOrEqual(10);
    await app.rows(
      `UPDATE delivery_attempts SET status = 'failed', retry_state = 'terminal', due_at = NULL
                    WHERE channel_id = $1 AND claim_token IS NULL`,
      [stuck],
    );
    await hanging.close();
    for (const id of ids) await delivery.until(id, ({ status }) => status === 'sent');
    expect(receiver.received).toHaveLength(60);
  });

  it('removes the evidence of a deleted project, and sends nothing of it any more', async () => {
    const other = await ownerWithProject(app);
    const client = deliveryOf(app, other);
    receiver.answer(500);
    const own = await client.webhook(receiver.url, { protected_headers: [{ name: 'X-A', value: 'v' }] });
    const id = await ruleMatch(app, other.projectId, own);
    await client.until(id, failed);
    const act = (path: string, method: 'post' | 'delete'): Test =>
      app.request()[method](`/v1/projects/${other.projectId}${path}`).set('Authorization', other.bearer);
    await act('/archive', 'post').expect(200);
    await act('', 'delete').expect(204);
    await makeDue(app, id);
    const sends = receiver.received.length;
    await runRetries(app);
    expect(receiver.received).toHaveLength(sends);
    await app.rows(`UPDATE projects SET deleted_at = deleted_at - interval '1 hour' WHERE id = $1`, [other.projectId]);
    await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
    for (const table of ['attempts', 'retry_audits', 'recovery_audits', 'channels', 'protected_headers']) {
      expect(await app.rows(`SELECT 1 FROM delivery_${table} WHERE project_id = $1`, [other.projectId])).toEqual([]);
    }
  });

  it('is counted in the state of the job while it is due', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, ({ retry_state }) => retry_state === 'scheduled_retry');
    const due = async (): Promise<number> =>
      (await app.request().get('/internal/jobs').set('X-Internal-Token', INTERNAL_TOKEN)).body.find(
        ({ name }: { name: string }) => name === 'delivery-retries',
      ).due;
    expect(await due()).toBe(0);
    await makeDue(app, id);
    expect(await due()).toBe(1);
    expect(await runRetries(app)).toBe(1);
    expect(await due()).toBe(0);
  });

  it('is seen in the metrics, the jobs and the health', async () => {
    const metrics = await app.metrics();
    for (const name of [
      'delivery_backlog',
      'delivery_oldest_due_seconds',
      'delivery_in_flight',
      'delivery_outcomes_total',
    ])
      expect(metrics).toMatch(new RegExp(`^${name}`, 'm'));
    const jobs = (await app.request().get('/internal/jobs').set('X-Internal-Token', INTERNAL_TOKEN)).body;
    expect(jobs.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['delivery-retries', 'delivery-wake', 'dlq-drains']),
    );
    expect((await app.request().get('/health')).body.checks.workers).toBe('healthy');
    await app.request().post('/internal/jobs/delivery-retries').expect(401);
  });
});
