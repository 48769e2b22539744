import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { app } from './worker-app.js';

const ACTIONS = ['replay', 'retry-now', 'dlq-drain'] as const;
type Action = (typeof ACTIONS)[number];
const NO_RETRIES = { configuration: { retry_policy: { max_attempts: 0 } } };

describe('a failed delivery of two instances', () => {
  let twin: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  let channel: string;

  beforeAll(async () => {
    twin = await createApiApp({ env: DELIVERY_ENV, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
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
  });

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

  it.each(ACTIONS)('is sent once when twenty people request %s at the same time', async (action) => {
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

  it.each([0, 20])('is retried now once for twenty callers when that retry fails after %i ms', async (ms) => {
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

  it('is sent once when Retry Now races the workers of two instances', async () => {
    const retry = await scheduled();
    const sends = receiver.received.length;
    receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 300));
    await makeDue(app, retry);
    await Promise.all([runRetries(app), runRetries(twin), ...Array.from({ length: 5 }, () => act(retry, 'retry-now'))]);
    expect(receiver.received).toHaveLength(sends + 1);
    expect(await delivery.attempt(retry)).toMatchObject({ status: 'sent', try_number: 2 });
    expect(await delivery.audits(retry)).toHaveLength(1);
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
