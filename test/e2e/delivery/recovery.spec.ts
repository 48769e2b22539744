import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  type Json,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

const ACTIONS = ['replay', 'retry-now', 'dlq-drain'] as const;
type Action = (typeof ACTIONS)[number];
const NO_RETRIES = { configuration: { retry_policy: { max_attempts: 0 } } };

describe('recovery of failed deliveries', () => {
  let app: TestApp;
  let twin: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  let channel: string;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    twin = await createTestApp({ env: DELIVERY_ENV, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  beforeEach(async () => {
    receiver = await startReceiver(500);
    channel = await delivery.webhook(receiver.url, {
      configuration: {
        retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 3_600, max_attempts: 1 },
      },
    });
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    await twin.close();
    await app.close();
  });

  const readiness = async (id: string, action: Action): Promise<Json> =>
    (await delivery.send('post', `/history/${id}/${action}-readiness`)).body;
  const act = (id: string, action: Action, client = delivery) => client.send('post', `/history/${id}/${action}`);

  async function scheduled(): Promise<string> {
    const id = await ruleMatch(app, owner.projectId, channel, {
      ruleId: newId(),
      eventId: newId(),
      evaluationId: newId(),
    });
    await delivery.until(id, ({ retry_state }) => retry_state === 'scheduled_retry');
    return id;
  }

  async function dead(): Promise<string> {
    await delivery.send('patch', `/channels/${channel}`, {
      configuration: { url: receiver.url, ...NO_RETRIES.configuration },
    });
    const id = await ruleMatch(app, owner.projectId, channel, {
      ruleId: newId(),
      eventId: newId(),
      evaluationId: newId(),
    });
    await delivery.until(id, ({ retry_state }) => retry_state === 'dlq');
    return id;
  }

  async function terminal(): Promise<string> {
    receiver.answer(400);
    const id = await ruleMatch(app, owner.projectId, channel);
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
          attempt: { id, project_id: owner.projectId },
        });
        return answer.reason_code;
      }),
    );

  it('is decided by the state of the attempt', async () => {
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
    const sent = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(sent, ({ status }) => status === 'sent');
    expect(await codes(sent)).toEqual(Array(3).fill('not_failed'));
    for (const id of [retry, letter])
      expect((await delivery.attempt(id)).replay_readiness).not.toHaveProperty('attempt');
  });

  it('shows in the counts of the dashboard', async () => {
    const counts = async (): Promise<Record<string, number>> => {
      const { body } = await app
        .request()
        .get(`/v1/projects/${owner.projectId}/dashboard`)
        .set('Authorization', owner.bearer)
        .expect(200);
      return (body as { deliveries: Record<string, number> }).deliveries;
    };
    const before = await counts();
    await dead();
    await terminal();
    receiver.answer(200);
    const sent = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(sent, ({ status }) => status === 'sent');
    const after = await counts();
    const risen = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
    expect(risen).toEqual({ sent: 1, failed: 2, dlq: 1 });
  });

  it('is decided by the channel, and refused in the documented forms', async () => {
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
      await app.rows(
        `UPDATE delivery_channels SET configuration = jsonb_set(configuration, '{url}', to_jsonb($2::text)) WHERE id = $1`,
        [channel, url],
      );
      expect((await readiness(letter, 'replay')).reason_code).toBe('destination_configuration_invalid');
      expect((await act(letter, 'replay')).body.detail.code).toBe('destination_configuration_invalid');
    }
    expect((await delivery.attempt(letter)).lifecycle).toEqual(['original', 'dlq', 'replay_blocked']);
    expect((await app.rows('SELECT 1 FROM delivery_attempts WHERE parent_attempt_id = $1', [letter])).length).toBe(0);
  });

  it('replays once: a new attempt with lineage both ways and an audit, the source as it was', async () => {
    const source = await dead();
    const before = await delivery.attempt(source);
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
          actor_user_id: owner.id,
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
    const audits = await app.rows(`SELECT action FROM audit_events WHERE target_id = $1`, [source]);
    expect(audits).toEqual([{ action: 'delivery.replay' }]);
  });

  it('replays an attempt whose retry is scheduled, and ends that retry with its evidence kept', async () => {
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
    await makeDue(app, source);
    expect(await runRetries(app)).toBe(0);
    expect((await act(source, 'retry-now')).body).toMatchObject({ executed: false });
    expect((await act(source, 'replay')).status).toBe(409);
    expect(receiver.received).toHaveLength(sends);
  });

  it('sends once when a replay races the scheduled retry that comes due', async () => {
    for (let round = 0; round < 4; round += 1) {
      receiver.answer(500);
      const source = await scheduled();
      receiver.answer(200);
      const sends = receiver.received.length;
      await makeDue(app, source);
      const [replayed] = await Promise.all([act(source, 'replay'), runRetries(app), act(source, 'retry-now')]);
      expect([200, 409]).toContain(replayed.status);
      await delivery.until(source, ({ next_retry_at, lineage, status }) =>
        replayed.status === 200 ? lineage.replay_attempt_id !== null && next_retry_at === null : status === 'sent',
      );
      expect(receiver.received).toHaveLength(sends + 1);
    }
  });

  it('drains once, and what a recovery made is no source itself but is retried by the policy', async () => {
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
    await makeDue(app, drained);
    await runRetries(app);
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

  it('retries now without eating the automatic budget, in place of the scheduled retry', async () => {
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
        worker_id: `user:${owner.id}`,
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

  it.each(ACTIONS)('sends once when twenty people ask for %s at the same time, on two instances', async (action) => {
    const id = action === 'retry-now' ? await scheduled() : await dead();
    const sends = receiver.received.length;
    receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 300));
    const other = deliveryOf(twin, owner);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => act(id, action, at % 2 === 0 ? delivery : other)),
    );
    if (action === 'retry-now') {
      const executed = answers.filter(({ body }) => body.executed === true);
      expect(executed).toHaveLength(1);
      const reasons = new Set(
        answers.filter(({ body }) => !body.executed).map(({ body }) => body.readiness.reason_code),
      );
      expect([...reasons].every((code) => code === 'retry_claim_active' || code === 'not_failed')).toBe(true);
      expect(await delivery.audits(id)).toHaveLength(1);
    } else {
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
      expect(await app.rows('SELECT 1 FROM delivery_attempts WHERE parent_attempt_id = $1', [id])).toHaveLength(1);
      expect(await app.rows('SELECT 1 FROM delivery_recovery_audits WHERE source_attempt_id = $1', [id])).toHaveLength(
        1,
      );
    }
    expect(receiver.received).toHaveLength(sends + 1);
  });

  it.each([0, 20])('retries now once for twenty callers whose try fails after %i ms', async (ms) => {
    const id = await scheduled();
    receiver.answer((response) => void setTimeout(() => response.writeHead(500).end(), ms));
    const sends = receiver.received.length;
    const other = deliveryOf(twin, owner);
    // All of them have come before the first can begin.
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [owner.organizationId]);
    const came = Promise.all([arrivals(app, 10), arrivals(twin, 10)]);
    const asked = Array.from({ length: 20 }, (_, at) => act(id, 'retry-now', at % 2 === 0 ? delivery : other));
    await came;
    await client.query('COMMIT');
    await client.end();
    const answers = await Promise.all(asked);
    expect(answers.filter(({ body }) => body.executed === true)).toHaveLength(1);
    expect(new Set(answers.filter(({ body }) => !body.executed).map(({ body }) => body.readiness.reason_code))).toEqual(
      new Set(['retry_claim_active']),
    );
    expect(receiver.received).toHaveLength(sends + 1);
    expect((await delivery.attempt(id)).try_number).toBe(2);
    // Who asks after that gets a try of their own.
    expect((await act(id, 'retry-now')).body).toMatchObject({ executed: true });
  });

  it('makes one attempt of a source when replay and drain race, and one send when Retry Now races the worker', async () => {
    const letter = await dead();
    receiver.answer(200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => act(letter, at % 2 === 0 ? 'replay' : 'dlq-drain')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await app.rows('SELECT 1 FROM delivery_attempts WHERE parent_attempt_id = $1', [letter])).toHaveLength(1);

    receiver.answer(500);
    await delivery.send('patch', `/channels/${channel}`, { configuration: { url: receiver.url } });
    const retry = await scheduled();
    const sends = receiver.received.length;
    receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 300));
    await makeDue(app, retry);
    await Promise.all([runRetries(app), runRetries(twin), ...Array.from({ length: 5 }, () => act(retry, 'retry-now'))]);
    expect(receiver.received).toHaveLength(sends + 1);
    expect(await delivery.attempt(retry)).toMatchObject({ status: 'sent', try_number: 2 });
    expect(await delivery.audits(retry)).toHaveLength(1);
  });

  it('says that a retry is under way while somebody holds the attempt', async () => {
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
    const [row] = await app.rows<{ kind: string; lease: number }>(
      `SELECT claim_kind AS kind, extract(epoch FROM claim_expires_at - now())::float8 AS lease FROM delivery_attempts WHERE id = $1`,
      [id],
    );
    expect(row?.kind).toBe('retry_now');
    expect(row?.lease).toBeGreaterThan(240);
    release();
    expect((await first).body).toMatchObject({ executed: true, attempt: { status: 'sent' } });
  });

  it('is for those whose role allows it', async () => {
    const [retry, letter, other] = [await scheduled(), await dead(), await dead()];
    receiver.answer(200);
    const may = {
      viewer: [],
      member: [],
      operator: ['replay', 'retry-now'],
      admin: ['replay', 'retry-now', 'dlq-drain'],
    } as const;
    for (const role of ['viewer', 'member', 'operator', 'admin'] as const) {
      const client = delivery.as(await addMember(app, owner, role));
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

  it('is filtered and paged in the history and its audits', async () => {
    const [retry, letter, other] = [await scheduled(), await dead(), await dead()];
    await makeDue(app, retry);
    const ids = async (query: object): Promise<string[]> =>
      (await delivery.get('/history', { channel_id: channel, ...query })).body.items.map(({ id }: Json) => id);
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
    expect(await ids({ channel_id: newId() })).toEqual([]);
    const page = (await delivery.get('/history', { channel_id: channel, limit: 2, offset: 2 })).body;
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 2, items: [expect.any(Object)] });
    expect((await delivery.get('/history')).body).toMatchObject({ limit: 25, offset: 0 });

    await act(retry, 'retry-now');
    const audits = async (query: object): Promise<{ total: number }> =>
      (await delivery.get('/retry-audits', query)).body as { total: number };
    expect(await audits({ delivery_id: retry })).toMatchObject({ total: 1, limit: 25, offset: 0 });
    expect(
      (await audits({ worker_id: `user:${owner.id}`, delivery_id: retry, status: 'failed' })).total +
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

  it('keeps tenants apart: attempts of another project are not found', async () => {
    const id = await dead();
    const stranger = deliveryOf(app, await ownerWithProject(app));
    for (const action of [...ACTIONS, 'replay-readiness', 'retry-now-readiness', 'dlq-drain-readiness']) {
      const answer = await stranger.send('post', `/history/${id}/${action}`);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Delivery attempt not found' }]);
    }
    expect((await stranger.get(`/history/${id}`)).status).toBe(404);
    expect((await stranger.get('/history')).body.total).toBe(0);
    expect((await stranger.get('/retry-audits')).body.total).toBe(0);
    expect((await delivery.get('/history/not-an-id')).status).toBe(422);
  });
});

/** Until so many requests have come to an instance. */
function arrivals(app: TestApp, count: number): Promise<void> {
  let left = count;
  const server = app.nest.getHttpServer();
  return new Promise((resolve) => {
    const came = (): void => {
      left -= 1;
      if (left > 0) return;
      server.off('request', came);
      resolve();
    };
    server.on('request', came);
  });
}
