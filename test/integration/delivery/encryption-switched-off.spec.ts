import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, deliveryOf, makeDue, ruleMatch, runRetries } from '../../support/delivery.js';
import { createTestDatabase } from '../../support/postgres.js';
import { startReceiver } from '../../support/receiver.js';
import { secretsOf } from '../../support/secrets.js';

const SECRET = 'protected-value-0123456789';

describe('a protected header while encryption is switched off', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
  });
  afterAll(() => app.close());

  /** Another instance on the same database. */
  const switchedOff = (): Promise<TestApp> =>
    createTestApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });

  it('is not added, changed or sent, but can still be removed', async () => {
    const receiver = await startReceiver();
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const id = await before.webhook(receiver.url, { protected_headers: [{ name: 'X-A', value: SECRET }] });
    const off = await switchedOff();
    const delivery = deliveryOf(off, owner);
    const detail = 'Protected webhook headers are unavailable';
    const path = `/channels/${id}/protected-headers`;
    const header = { name: 'X-B', value: 'v' };
    const channel = { type: 'webhook', configuration: { url: receiver.url }, protected_headers: [header] };
    for (const answer of [
      await delivery.send('post', path, header),
      await delivery.send('patch', `${path}/X-A`, { value: 'v' }),
      await delivery.send('patch', `/channels/${id}`, { protected_headers: [header] }),
      await delivery.create(channel),
    ]) {
      expect([answer.status, answer.body]).toEqual([503, { detail }]);
    }
    expect((await delivery.get('/channels')).body).toHaveLength(1);
    const test = await delivery.send('post', `/channels/${id}/test`);
    expect([test.status, test.body]).toEqual([503, { detail }]);
    expect((await delivery.get('/history')).body.total).toBe(0);
    expect(receiver.connections()).toBe(0);
    expect(await delivery.send('delete', `${path}/X-A`)).toMatchObject({ status: 200 });
    const unsigned = await delivery.webhook(receiver.url);
    expect((await delivery.send('post', `/channels/${unsigned}/test`)).body.ok).toBe(true);
    await off.close();
    await receiver.close();
  });

  it('leaves new channels unsigned, and returns 503 to a rotation and to a test of a signed channel', async () => {
    const receiver = await startReceiver();
    const owner = await ownerWithProject(app);
    const signed = await deliveryOf(app, owner).webhook(receiver.url);
    const off = await switchedOff();
    const delivery = deliveryOf(off, owner);
    const detail = 'Webhook signing secrets are unavailable';
    const { body } = await delivery.create({ type: 'webhook', configuration: { url: receiver.url } });
    expect(body).toMatchObject({ has_signing_secret: false });
    expect(body).not.toHaveProperty('signing_secret');
    for (const answer of [
      await delivery.send('patch', `/channels/${body.id}`, { rotate_signing_secret: true }),
      await delivery.send('post', `/channels/${signed}/test`),
    ]) {
      expect([answer.status, answer.body]).toEqual([503, { detail }]);
    }
    expect(receiver.connections()).toBe(0);
    await off.close();
    await receiver.close();
  });

  it('prevents replay, Retry Now and drain with 503, and leaves the attempts of its channel unchanged', async () => {
    const receiver = await startReceiver(500);
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const made = async (policy: object, protected_headers: object[], state: string): Promise<string> => {
      const channel = await before.webhook(receiver.url, {
        configuration: { retry_policy: policy },
        protected_headers,
      });
      const id = await ruleMatch(app, owner.projectId, channel);
      await before.until(id, ({ retry_state }) => retry_state === state);
      return id;
    };
    const headers = [{ name: 'X-A', value: SECRET }];
    const scheduled = await made({ base_delay_seconds: 3_600, max_delay_seconds: 3_600 }, headers, 'scheduled_retry');
    const dead = await made({ max_attempts: 0 }, headers, 'dlq');
    const open = await made({ max_attempts: 0 }, [], 'dlq');
    await app.rows(
      'UPDATE delivery_channels SET signing_secret = NULL WHERE id IN (SELECT channel_id FROM delivery_attempts WHERE id = $1)',
      [open],
    );
    const off = await switchedOff();
    const delivery = deliveryOf(off, owner);
    const sends = receiver.received.length;
    const rows = () => app.rows('SELECT to_jsonb(a) AS attempt FROM delivery_attempts a ORDER BY id');
    const unchanged = await rows();
    for (const [id, act] of [
      [scheduled, 'replay'],
      [scheduled, 'retry-now'],
      [dead, 'replay'],
      [dead, 'dlq-drain'],
    ] as const) {
      const answer = await delivery.send('post', `/history/${id}/${act}`);
      expect([act, answer.status, answer.body]).toEqual([
        act,
        503,
        { detail: 'Protected webhook headers are unavailable' },
      ]);
    }
    expect(await rows()).toEqual(unchanged);
    expect(receiver.received).toHaveLength(sends);
    receiver.answer(200);
    expect((await delivery.send('post', `/history/${open}/dlq-drain`)).status).toBe(200);
    await off.close();
    await receiver.close();
  });

  it('keeps the attempts of its channel pending and uncounted until it can be read', async () => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'oes-vault-'));
    const start = (env: Record<string, string> = {}): Promise<TestApp> =>
      createTestApp({ env: { ...DELIVERY_ENV, ...env }, databaseUrl: database.url, dataDir });
    const receiver = await startReceiver();
    const first = await start();
    const owner = await ownerWithProject(first);
    const channel = await deliveryOf(first, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-A', value: SECRET }],
    });
    await first.close();
    const off = await start({ CREDENTIAL_ENCRYPTION_KEYS: 'disabled' });
    const delivery = deliveryOf(off, owner);
    const id = await ruleMatch(off, owner.projectId, channel);
    expect(await delivery.until(id, ({ failure_reason }) => failure_reason !== null)).toMatchObject({
      status: 'pending',
      retry_state: 'pending',
      failure_reason: 'cryptography_unavailable',
      try_number: 0,
      retry_count: 0,
      completed_at: null,
    });
    expect(await off.metrics()).toMatch(/^oes_delivery_backlog 0$/m);
    await off.close();
    expect(receiver.connections()).toBe(0);
    const again = await start();
    await makeDue(again, id);
    await runRetries(again);
    expect(await deliveryOf(again, owner).attempt(id)).toMatchObject({
      status: 'sent',
      try_number: 1,
      failure_reason: null,
    });
    expect(receiver.received[0]?.headers['x-a']).toBe(SECRET);
    await again.close();
    await receiver.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('makes a test of its channel return 503 without an attempt when it names a secret', async () => {
    const receiver = await startReceiver();
    const owner = await ownerWithProject(app);
    await secretsOf(app, owner).made('TOKEN', 'value');
    const channel = await deliveryOf(app, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-H0', value: '{{secret:TOKEN}}' }],
    });
    const off = await switchedOff();
    try {
      const answer = await deliveryOf(off, owner).send('post', `/channels/${channel}/test`);
      expect([answer.status, answer.body]).toEqual([503, { detail: 'Protected webhook headers are unavailable' }]);
      const history = await deliveryOf(app, owner).get('/history', { channel_id: channel });
      expect(history.body.total).toBe(0);
    } finally {
      await off.close();
      await receiver.close();
    }
  });
});
