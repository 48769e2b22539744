import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { retried } from '../../support/delivery-retries.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import { makeDue } from '../../support/sql-builders/delivery.js';
import {
  claimOn,
  holdingDueAttempt,
  nameEvaluation,
  setChannelUrl,
} from '../../support/sql-builders/delivery-engine.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const ACTIONS = ['replay', 'retry-now', 'dlq-drain'] as const;
type Action = (typeof ACTIONS)[number];
const NO_RETRIES = { configuration: { retry_policy: { max_attempts: 0 } } };

describe('a failed delivery', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  let channel: string;

  beforeEach(async () => {
    acme = await tenant();
    delivery = deliveryOf(acme);
    receiver = await startReceiver(500);
    channel = await delivery.webhook(receiver.url, {
      configuration: {
        retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 3_600, max_attempts: 1 },
      },
    });
  });
  afterEach(() => receiver.close());

  const readiness = async (id: string, action: Action): Promise<Json> =>
    (await delivery.send('post', `/history/${id}/${action}-readiness`)).body;
  const act = (id: string, action: Action, client = delivery) => client.send('post', `/history/${id}/${action}`);

  /** The attempts that were created from an attempt. */
  async function createdFrom(source: string): Promise<string[]> {
    const { body } = await delivery.get('/history', { channel_id: channel, limit: 100 });
    const attempts = await Promise.all((body.items as Json[]).map(({ id }) => delivery.attempt(id as string)));
    return attempts.flatMap(({ id, lineage }) => (lineage.parent_attempt_id === source ? [id as string] : []));
  }

  async function scheduled(): Promise<string> {
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, ({ retry_state }) => retry_state === 'scheduled_retry');
    return id;
  }

  async function dead(): Promise<string> {
    await delivery.send('patch', `/channels/${channel}`, {
      configuration: { url: receiver.url, ...NO_RETRIES.configuration },
    });
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, ({ retry_state }) => retry_state === 'dlq');
    return id;
  }

  async function terminal(): Promise<string> {
    receiver.answer(400);
    const id = await ruleMatch(acme, channel);
    await delivery.until(id, ({ retry_state }) => retry_state === 'terminal');
    return id;
  }

  /** What every action says about an attempt: code, or null when it is allowed. */
  const codes = async (id: string): Promise<unknown[]> =>
    Promise.all(
      ACTIONS.map(async (action) => {
        const answer = await readiness(id, action);
        expect(answer).toMatchObject({
          allowed: answer.reason_code === null,
          action: action.replace('-', '_'),
          reason: expect.any(String),
          attempt: { id, project_id: acme.projectId },
        });
        return answer.reason_code;
      }),
    );

  it('is open to replay, Retry Now and drain depending on its state', async () => {
    const retry = await scheduled();
    expect(await codes(retry)).toEqual([null, null, 'not_terminal']);
    const gone = await terminal();
    expect(await codes(gone)).toEqual([null, 'already_terminal', 'not_dlq']);
    receiver.answer(500);
    const letter = await dead();
    expect(await codes(letter)).toEqual([null, 'retry_policy_exhausted', null]);
    const test = (await delivery.send('post', `/channels/${channel}/test`)).body.delivery_id;
    expect(await codes(test)).toEqual(Array(3).fill('unsupported_delivery_kind'));
    receiver.answer(200);
    const sent = await ruleMatch(acme, channel);
    await delivery.until(sent, ({ status }) => status === 'sent');
    expect(await codes(sent)).toEqual(Array(3).fill('not_failed'));
    for (const id of [retry, letter])
      expect((await delivery.attempt(id)).replay_readiness).not.toHaveProperty('attempt');
  });

  it('is counted in the dashboard as failed, and as a dead letter when it is one', async () => {
    const counts = async (): Promise<Record<string, number>> => {
      const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/dashboard`).expect(200);
      return (body as { deliveries: Record<string, number> }).deliveries;
    };
    const before = await counts();
    await dead();
    await terminal();
    receiver.answer(200);
    const sent = await ruleMatch(acme, channel);
    await delivery.until(sent, ({ status }) => status === 'sent');
    const after = await counts();
    const risen = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
    expect(risen).toEqual({ sent: 1, failed: 2, dlq: 1 });
  });

  it('is not recovered while its channel is disabled or has an invalid URL, and the refusals have the documented forms', async () => {
    const [retry, letter] = [await scheduled(), await dead()];
    await delivery.send('patch', `/channels/${channel}`, { enabled: false });
    expect([await readiness(retry, 'retry-now'), await readiness(letter, 'replay')]).toMatchObject([
      { reason_code: 'channel_disabled' },
      { reason_code: 'channel_disabled' },
    ]);
    const refused = await act(letter, 'dlq-drain');
    expect([refused.status, refused.body]).toEqual([
      409,
      { detail: { code: 'channel_disabled', reason: 'The channel is disabled' } },
    ]);
    const notNow = await act(retry, 'retry-now');
    expect([notNow.status, notNow.body]).toEqual([
      200,
      {
        executed: false,
        source_attempt_id: retry,
        readiness: expect.objectContaining({ allowed: false, reason_code: 'channel_disabled' }),
        attempt: null,
        retry_audit: null,
      },
    ]);
    await delivery.send('patch', `/channels/${channel}`, { enabled: true });
    for (const url of ['http://10.1.2.3/', 'http://[::1]/', 'https://example.com/?token=t', 'no address']) {
      await setChannelUrl(channel, url);
      expect((await readiness(letter, 'replay')).reason_code).toBe('destination_configuration_invalid');
      expect((await act(letter, 'replay')).body.detail.code).toBe('destination_configuration_invalid');
    }
    expect((await delivery.attempt(letter)).lifecycle).toEqual(['original', 'dlq', 'replay_blocked']);
    expect(await createdFrom(letter)).toEqual([]);
  });

  it('is replayed once, as a new attempt with lineage both ways and an audit, and stays as it was', async () => {
    const source = await dead();
    const evaluationId = await nameEvaluation(source);
    const before = await delivery.attempt(source);
    expect(before).toMatchObject({
      event_id: expect.any(String),
      rule_id: expect.any(String),
      evaluation_id: evaluationId,
    });
    receiver.answer(200);
    const { status, body } = await act(source, 'replay');
    expect([status, body]).toEqual([
      200,
      {
        source_attempt_id: source,
        replay_attempt: expect.objectContaining({ status: 'sent', kind: 'rule_match', lifecycle: ['replay'] }),
        replay_audit: {
          id: expect.any(String),
          action: 'replay',
          source_attempt_id: source,
          replay_attempt_id: body.replay_attempt.id,
          actor_user_id: acme.owner.id,
          created_at: expect.any(String),
        },
      },
    ]);
    const replay = body.replay_attempt.id as string;
    const after = await delivery.attempt(source);
    expect(after).toEqual({
      ...before,
      lifecycle: ['original', 'dlq', 'replay_created'],
      replay_readiness: expect.objectContaining({ allowed: false, reason_code: 'replay_created_attempt' }),
      lineage: { ...before.lineage, replay_attempt_id: replay },
    });
    expect(await delivery.attempt(replay)).toMatchObject({
      event_id: before.event_id,
      rule_id: before.rule_id,
      evaluation_id: before.evaluation_id,
      lineage: {
        original_attempt_id: source,
        parent_attempt_id: source,
        replay_source_attempt_id: source,
        replay_attempt_id: null,
        dlq_drain_source_attempt_id: null,
      },
    });
    const [first, last] = [receiver.received[0]!, receiver.received.at(-1)!];
    expect(JSON.parse(last.body)).toEqual({
      ...JSON.parse(first.body),
      id: source,
      attempt_id: replay,
      created_at: expect.any(String),
    });
    expect(last.headers['x-service-delivery-id']).toBe(replay);

    const again = await act(source, 'replay');
    expect([again.status, again.body]).toEqual([
      409,
      { detail: { code: 'duplicate_replay', reason: expect.any(String), replay_attempt_id: replay } },
    ]);
    expect((await act(source, 'dlq-drain')).body.detail).toMatchObject({
      code: 'replay_created_attempt',
      replay_attempt_id: replay,
    });
    expect(await codes(source)).toEqual(['replay_created_attempt', 'retry_policy_exhausted', 'replay_created_attempt']);
    const audits = (await activityOf(acme)).filter(({ target_id }) => target_id === source);
    expect(audits.map(({ action }) => action)).toEqual(['delivery.replay']);
  });

  it('is replayed while its retry is scheduled, which ends that retry and keeps its evidence', async () => {
    const source = await scheduled();
    const before = await delivery.attempt(source);
    receiver.answer(200);
    const { status, body } = await act(source, 'replay');
    expect([status, body.replay_attempt.status]).toEqual([200, 'sent']);
    const after = await delivery.attempt(source);
    expect(after).toEqual({
      ...before,
      retry_state: 'terminal',
      next_retry_at: null,
      terminal_at: expect.any(String),
      completed_at: after.terminal_at,
      lifecycle: ['original', 'terminal', 'replay_created'],
      replay_readiness: expect.objectContaining({ allowed: false, reason_code: 'replay_created_attempt' }),
      lineage: { ...before.lineage, replay_attempt_id: body.replay_attempt.id },
    });
    expect(await codes(source)).toEqual(['replay_created_attempt', 'already_terminal', 'replay_created_attempt']);
    const sends = receiver.received.length;
    await makeDue(source);
    await job('delivery-retries');
    expect((await act(source, 'retry-now')).body).toMatchObject({ executed: false });
    expect((await act(source, 'replay')).status).toBe(409);
    expect(receiver.received).toHaveLength(sends);
  });

  it('is sent once when a replay races the scheduled retry that comes due', async () => {
    for (let round = 0; round < 4; round += 1) {
      receiver.answer(500);
      const source = await scheduled();
      receiver.answer(200);
      const sends = receiver.received.length;
      await makeDue(source);
      const [replayed] = await Promise.all([act(source, 'replay'), job('delivery-retries'), act(source, 'retry-now')]);
      expect([200, 409]).toContain(replayed.status);
      await delivery.until(source, ({ next_retry_at, lineage, status }) =>
        replayed.status === 200 ? lineage.replay_attempt_id !== null && next_retry_at === null : status === 'sent',
      );
      await receiver.requests(sends + 1);
      expect(receiver.received).toHaveLength(sends + 1);
    }
  });

  it('is drained once, into an attempt that is retried by the policy and is no source itself', async () => {
    const source = await dead();
    await delivery.send('patch', `/channels/${channel}`, {
      configuration: {
        url: receiver.url,
        retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 3_600, max_attempts: 1 },
      },
    });
    const { status, body } = await act(source, 'dlq-drain');
    const drained = body.created_attempt_id as string;
    expect([status, body]).toEqual([
      200,
      {
        action: 'dlq_drain',
        execution_status: 'executed',
        original_attempt_id: source,
        created_attempt_id: expect.any(String),
        audit_id: expect.any(String),
        delivery_status: 'failed',
        reason_code: 'http_500',
        reason: 'http_500: The receiver answered 500',
        response_code: 500,
        created_at: expect.any(String),
        completed_at: null,
      },
    ]);
    expect(await delivery.attempt(drained)).toMatchObject({
      retry_state: 'scheduled_retry',
      lineage: { dlq_drain_source_attempt_id: source, replay_source_attempt_id: null, original_attempt_id: source },
    });
    expect((await delivery.attempt(source)).lineage.dlq_drain_attempt_id).toBe(drained);
    await retried(delivery, drained);
    expect(await codes(drained)).toEqual([
      'dlq_drain_created_attempt',
      'retry_policy_exhausted',
      'dlq_drain_created_attempt',
    ]);
    for (const action of ['dlq-drain', 'replay'] as const) {
      const again = await act(source, action);
      expect([again.status, again.body.detail]).toEqual([
        409,
        { code: 'already_drained', reason: expect.any(String), drain_attempt_id: drained },
      ]);
    }
    receiver.answer(400);
    const other = await terminal();
    const replay = (await act(other, 'replay')).body.replay_attempt.id;
    expect(await codes(replay)).toEqual(['replay_created_attempt', 'already_terminal', 'replay_created_attempt']);
  });

  it('is retried now in place of the scheduled retry, without using up an automatic retry', async () => {
    const id = await scheduled();
    const before = await delivery.attempt(id);
    const { body } = await act(id, 'retry-now');
    expect(body).toMatchObject({
      executed: true,
      source_attempt_id: id,
      readiness: { allowed: true, action: 'retry_now', reason_code: null },
      attempt: { id, status: 'failed', retry_state: 'scheduled_retry', retry_count: 0 },
      retry_audit: {
        delivery_id: id,
        status: 'failed',
        retry_number: 1,
        worker_id: `user:${acme.owner.id}`,
        response_code: 500,
      },
    });
    expect(Date.parse(body.attempt.next_retry_at)).toBeGreaterThan(Date.parse(before.next_retry_at));
    receiver.answer(200);
    expect((await act(id, 'retry-now')).body).toMatchObject({
      attempt: { status: 'sent', retry_state: null, retry_count: 0 },
      retry_audit: { status: 'dispatched', retry_number: 2 },
    });
    expect((await act(id, 'retry-now')).body).toMatchObject({
      executed: false,
      readiness: { reason_code: 'not_failed' },
    });
    expect((await delivery.attempt(id)).try_number).toBe(3);
  });

  it('becomes the source of one attempt when twenty replays and drains race', async () => {
    const letter = await dead();
    receiver.answer(200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => act(letter, at % 2 === 0 ? 'replay' : 'dlq-drain')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await createdFrom(letter)).toHaveLength(1);
  });

  it('reports that a retry is under way while somebody holds it', async () => {
    const id = await scheduled();
    let release: () => void = () => undefined;
    receiver.answer((response) => void (release = () => response.writeHead(200).end()));
    const first = act(id, 'retry-now');
    await receiver.requests(2);
    expect((await readiness(id, 'retry-now')).reason_code).toBe('retry_claim_active');
    expect((await act(id, 'retry-now')).body).toMatchObject({
      executed: false,
      readiness: { reason_code: 'retry_claim_active' },
    });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'claimed', finished_at: null }]);
    const claim = await claimOn(id);
    expect(claim?.kind).toBe('retry_now');
    expect(claim?.leaseSeconds).toBeGreaterThan(240);
    release();
    expect((await first).body).toMatchObject({ executed: true, attempt: { status: 'sent' } });
  });

  it('is replayed and retried by operators, drained by admins, and only read by viewers and members', async () => {
    const [retry, letter, other] = [await scheduled(), await dead(), await dead()];
    receiver.answer(200);
    const may = {
      viewer: [],
      member: [],
      operator: ['replay', 'retry-now'],
      admin: ['replay', 'retry-now', 'dlq-drain'],
    } as const;
    for (const role of ['viewer', 'member', 'operator', 'admin'] as const) {
      const client = delivery.as(await acme[role]());
      expect((await client.get('/history')).status).toBe(200);
      expect((await client.send('post', `/history/${retry}/retry-now-readiness`)).status).toBe(200);
      for (const [action, id] of [
        ['replay', letter],
        ['retry-now', retry],
        ['dlq-drain', other],
      ] as const) {
        const { status, body } = await act(id, action, client);
        const allowed = (may[role] as readonly string[]).includes(action);
        expect([role, action, status === 403]).toEqual([role, action, !allowed]);
        if (!allowed) expect(body.detail).toBe(`Missing delivery capability: delivery:${action.replace('-', '_')}`);
      }
    }
  });

  it('appears in a history and in audits that are filtered and paged', async () => {
    const [retry, letter, other] = [await scheduled(), await dead(), await dead()];
    const ids = async (query: object): Promise<string[]> =>
      (await delivery.get('/history', { channel_id: channel, ...query })).body.items.map(({ id }: Json) => id);
    await holdingDueAttempt(retry, async () => {
      await delivery.until(retry, ({ retry_state }) => retry_state === 'retryable');
      expect(await ids({})).toEqual([other, letter, retry]);
      expect(await ids({ dlq: true })).toEqual([other, letter]);
      expect(await ids({ dlq: false })).toEqual([retry]);
      expect(await ids({ retryable: 'true' })).toEqual([retry]);
      expect(await ids({ retry_state: 'retryable' })).toEqual([retry]);
      expect(await ids({ retry_state: 'scheduled_retry' })).toEqual([]);
      expect(
        (await ids({ retry_state: 'dlq', channel_type: 'webhook', kind: 'rule_match', status: 'failed' })).length,
      ).toBe(2);
      expect(await ids({ channel_type: 'email' })).toEqual([]);
      expect(await ids({ status: 'sent' })).toEqual([]);
      expect(await ids({ kind: 'test' })).toEqual([]);
      expect(await ids({ channel_id: NOWHERE })).toEqual([]);
      const { created_at: made } = await delivery.attempt(letter);
      expect(await ids({ from_ts: made })).toEqual([other, letter]);
      expect(await ids({ to_ts: made })).toEqual([retry]);
      expect((await delivery.get('/history', { channel_id: channel, from_ts: made })).body.total).toBe(2);
    });
    const page = (await delivery.get('/history', { channel_id: channel, limit: 2, offset: 2 })).body;
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 2, items: [expect.any(Object)] });
    expect((await delivery.get('/history')).body).toMatchObject({ limit: 25, offset: 0 });

    await act(retry, 'retry-now');
    const audits = async (query: object): Promise<{ total: number }> =>
      (await delivery.get('/retry-audits', query)).body as { total: number };
    expect(await audits({ delivery_id: retry })).toMatchObject({ total: 1, limit: 25, offset: 0 });
    expect(
      (await audits({ worker_id: `user:${acme.owner.id}`, delivery_id: retry, status: 'failed' })).total +
        (await audits({ delivery_id: retry, status: 'exhausted' })).total,
    ).toBe(1);
    expect((await audits({ worker_id: 'nobody' })).total).toBe(0);
    for (const [path, query] of [
      ['/history', { limit: 0 }],
      ['/history', { limit: 101 }],
      ['/history', { offset: -1 }],
      ['/history', { status: 'lost' }],
      ['/history', { retry_state: 'lost' }],
      ['/history', { channel_id: 'x' }],
      ['/history', { dlq: 'maybe' }],
      ['/history', { project_id: '' }],
      ['/retry-audits', { limit: 101 }],
      ['/retry-audits', { worker_id: '' }],
      ['/retry-audits', { worker_id: 'x'.repeat(121) }],
      ['/retry-audits', { status: 'sent' }],
    ] as const) {
      expect([path, query, (await delivery.get(path, query)).status]).toEqual([path, query, 422]);
    }
  });

  it('is not found in another project, which gets 404', async () => {
    const id = await dead();
    const globex = deliveryOf(await tenant());
    for (const action of [...ACTIONS, 'replay-readiness', 'retry-now-readiness', 'dlq-drain-readiness']) {
      const answer = await globex.send('post', `/history/${id}/${action}`);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Delivery attempt not found' }]);
    }
    expect((await globex.get(`/history/${id}`)).status).toBe(404);
    expect((await globex.get('/history')).body.total).toBe(0);
    expect((await globex.get('/retry-audits')).body.total).toBe(0);
    expect((await delivery.get('/history/not-an-id')).status).toBe(422);
  });
});
