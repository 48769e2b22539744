import { afterEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { newId } from '../../../src/platform/ids/index.js';
import { cleanUp, cleanups, query, start, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startRedis } from '../../support/redis.js';
import {
  CLEAN_EXIT,
  eventually,
  type ServiceProcess,
  startService,
  startWorker,
} from '../../support/service-process.js';

afterEach(cleanUp);

/** Fast enough for a test; what they bound is the same as with the defaults. */
const ENGINE = {
  OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
  DELIVERY_RETRY_POLL_SECONDS: '1',
  DELIVERY_RETRY_LEASE_SECONDS: '6',
  LOG_LEVEL: 'warn',
};
const LOUD = { LOG_LEVEL: 'info' };

interface Site {
  readonly databaseUrl: string;
  readonly env: Record<string, string>;
  readonly receiver: Receiver;
  readonly projectId: string;
  readonly channelId: string;
}

/** A project with one channel, as the rows the service itself would have written, on a database of its own. */
async function site(databaseUrl?: string, env: Record<string, string> = {}): Promise<Site> {
  const database = databaseUrl === undefined ? await createTestDatabase() : null;
  if (database !== null) cleanups.push(() => database.drop());
  const url = databaseUrl ?? database?.url ?? '';
  const receiver = await startReceiver();
  cleanups.push(() => receiver.close());
  const dataDir = await temporaryFolder();
  const [userId, organizationId, projectId, channelId] = [newId(), newId(), newId(), newId()];
  const configuration = {
    url: receiver.url,
    method: 'POST',
    headers: {},
    retry_policy: { strategy: 'fixed', base_delay_seconds: 1, max_delay_seconds: 1, max_attempts: 20 },
  };
  await run(url, [
    [
      `INSERT INTO users (id, email, email_key, created_at) VALUES ($1, 'a@example.com', 'a@example.com', now())`,
      [userId],
    ],
    [`INSERT INTO organizations (id, name, slug, owner_id) VALUES ($1, 'O', 'o', $2)`, [organizationId, userId]],
    [
      `INSERT INTO projects (id, organization_id, name, slug, owner_id) VALUES ($1, $2, 'P', 'p', $3)`,
      [projectId, organizationId, userId],
    ],
    [
      `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration) VALUES ($1, $2, 'C', 'webhook', true, $3)`,
      [channelId, projectId, JSON.stringify(configuration)],
    ],
  ]);
  return {
    databaseUrl: url,
    env: { ...ENGINE, ...LOUD, DATA_DIR: dataDir, DATABASE_URL: url, ...env },
    receiver,
    projectId,
    channelId,
  };
}

async function run(url: string, statements: [string, unknown[]][]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [sql, parameters] of statements) await client.query(sql, parameters);
  } finally {
    await client.end();
  }
}

/** Attempts that are due. @returns their ids */
async function due({ databaseUrl, projectId, channelId }: Site, count: number, dueIn = '0 seconds'): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await run(databaseUrl, [
    [
      `INSERT INTO delivery_attempts (id, project_id, channel_id, kind, due_at)
       SELECT id, $2, $3, 'rule_match', now() + $4::interval FROM unnest($1::uuid[]) id`,
      [ids, projectId, channelId, dueIn],
    ],
  ]);
  return ids;
}

async function states({ databaseUrl }: Site): Promise<Record<string, number>> {
  const rows = (await query(
    databaseUrl,
    `SELECT coalesce(retry_state, status) || CASE WHEN claim_token IS NULL THEN '' ELSE ' claimed' END AS state, count(*)::int
     FROM delivery_attempts GROUP BY 1`,
  )) as { state: string; count: number }[];
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const allSent = (site: Site, count: number): Promise<unknown> =>
  eventually(
    () => states(site).catch(() => ({})),
    (seen) => (seen as Record<string, number>).sent === count && Object.keys(seen).length === 1,
  );

/** How often each attempt came to the receiver. */
function receipts({ received }: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { headers } of received) {
    const id = String(headers['x-service-delivery-id']);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function expectEachOnce(site: Site, ids: readonly string[]): void {
  const counts = receipts(site.receiver);
  expect([...counts.keys()].sort()).toEqual([...ids].sort());
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
}

async function kill(worker: ServiceProcess): Promise<void> {
  worker.signal('SIGKILL');
  await worker.exited;
}

describe('a delivery', () => {
  it('is sent only once when four workers share a thousand due rows', async () => {
    const here = await site();
    const ids = await due(here, 1_000);
    const workers = await Promise.all(Array.from({ length: 4 }, () => startWorker(here.env)));
    await allSent(here, 1_000);
    expectEachOnce(here, ids);
    for (const worker of workers) expect(await worker.stop()).toEqual(CLEAN_EXIT);
  });

  it('is never lost, and sent twice only when its worker was killed during the send', async () => {
    const here = await site();
    here.receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 40));
    const ids = await due(here, 300);
    const underWay = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const before = here.receiver.received.length;
      const worker = await startWorker(here.env);
      await here.receiver.requests(before + 40);
      await kill(worker);
      const claimed = (await query(
        here.databaseUrl,
        'SELECT id FROM delivery_attempts WHERE claim_token IS NOT NULL',
      )) as { id: string }[];
      for (const { id } of claimed) underWay.add(id);
    }
    expect(underWay.size).toBeGreaterThan(0);
    await startWorker(here.env);
    await allSent(here, 300);
    const counts = receipts(here.receiver);
    expect([...counts.keys()].sort()).toEqual([...ids].sort());
    for (const [id, count] of counts) if (count > 1) expect(underWay.has(id)).toBe(true);
  });

  it('is sent again by another worker after the lease when its worker dies between the send and the result', async () => {
    const here = await site();
    here.receiver.answer(() => undefined);
    const [id = ''] = await due(here, 1);
    const first = await startWorker(here.env);
    await here.receiver.requests(1);
    await kill(first);
    here.receiver.answer(200);
    const second = await startWorker(here.env);
    await allSent(here, 1);
    expect(
      here.receiver.received.map(({ headers }) => [headers['x-service-delivery-id'], headers['x-service-attempt']]),
    ).toEqual([
      [id, '1'],
      [id, '2'],
    ]);
    expect(await query(here.databaseUrl, 'SELECT status, retry_number FROM delivery_retry_audits')).toEqual([
      { status: 'dispatched', retry_number: 1 },
    ]);
    expect(await second.stop()).toEqual(CLEAN_EXIT);
  });

  it('is sent when its worker died between the claim and the send', async () => {
    const here = await site();
    const [id = ''] = await due(here, 1);
    // What such a death leaves behind.
    await query(
      here.databaseUrl,
      `UPDATE delivery_attempts SET claim_token = gen_random_uuid(), claim_owner = 'dead', claim_kind = 'worker',
         claim_expires_at = now() + interval '2 seconds', try_number = 1`,
    );
    await startWorker(here.env);
    await allSent(here, 1);
    expectEachOnce(here, [id]);
    expect(here.receiver.received[0]?.headers['x-service-attempt']).toBe('2');
  });

  it('is finished before its worker stops, or stays due when it was not started', async () => {
    const here = await site();
    here.receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 1_500));
    const ids = await due(here, 40);
    const worker = await startWorker(here.env);
    await here.receiver.requests(5);
    expect(await worker.stop()).toEqual(CLEAN_EXIT);
    const left = await states(here);
    expect(Object.keys(left).sort()).toEqual(['pending', 'sent']);
    expect(left.sent).toBe(here.receiver.received.length);
    await startWorker(here.env);
    await allSent(here, 40);
    expectEachOnce(here, ids);
  });

  it('is sent while Redis is stopped, after it restarted and after it was emptied', async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const here = await site(undefined, { REDIS_URL: redis.url });
    const worker = await startWorker(here.env);
    const ids = await due(here, 20);
    await allSent(here, 20);
    await redis.kill9();
    ids.push(...(await due(here, 50)));
    await allSent(here, 70);
    await redis.restart();
    const client = new Redis(redis.url);
    cleanups.push(() => client.quit());
    await client.flushall();
    ids.push(...(await due(here, 50)));
    await allSent(here, 120);
    // And the queue wakes it up again.
    const queue = new Queue('delivery-retries', { connection: { url: redis.url } });
    cleanups.push(() => queue.close());
    ids.push(...(await due(here, 1)));
    await queue.add(
      'delivery-wake',
      { lanes: [{ project_id: here.projectId, channel_id: here.channelId }] },
      { removeOnComplete: true },
    );
    await allSent(here, 121);
    expectEachOnce(here, ids);
    expect(worker.isRunning).toBe(true);
  });

  it('is sent after the tables of the queue were emptied', async () => {
    const here = await site();
    await startWorker(here.env);
    await query(here.databaseUrl, 'TRUNCATE bullmq.job CASCADE');
    const ids = await due(here, 30);
    await allSent(here, 30);
    expectEachOnce(here, ids);
  });

  it('is recorded as sent when PostgreSQL is back, and not sent again', async () => {
    const cluster = await temporaryFolder();
    const database = await start(cluster);
    const empty = await temporaryFolder();
    // Brings the schema.
    const first = await startService({ env: { DATA_DIR: empty, DATABASE_URL: database.url } });
    await first.stop();
    const here = await site(database.url, { DELIVERY_RETRY_LEASE_SECONDS: '120' });
    const held: (() => void)[] = [];
    here.receiver.answer((response) => void held.push(() => response.writeHead(200).end()));
    const ids = await due(here, 5);
    const worker = await startWorker(here.env);
    await here.receiver.requests(5);
    // Nobody is let in from the first moment of its end, which may take longer than a receiver has for its answer.
    const stopped = database.stop();
    await eventually(
      () =>
        query(here.databaseUrl, 'SELECT 1').then(
          () => 'there',
          () => 'away',
        ),
      (state) => state === 'away',
    );
    for (const release of held) release();
    await stopped;
    const again = await start(cluster);
    expect(again.port).toBe(database.port);
    await allSent(here, 5);
    expectEachOnce(here, ids);
    here.receiver.answer(200);
    const more = await due(here, 5);
    await allSent(here, 10);
    expectEachOnce(here, [...ids, ...more]);
    expect(worker.isRunning).toBe(true);
    expect(await worker.stop()).toEqual(CLEAN_EXIT);
  });

  it.each([10, -10])('keeps its due time on a host whose clock is %i minutes off', async (minutes) => {
    const here = await site();
    const shifted = `const now = Date.now.bind(Date), off = ${minutes * 60_000}, Real = Date;
      globalThis.Date = class extends Real { constructor(...a) { a.length === 0 ? super(now() + off) : super(...a); } static now() { return now() + off; } };`;
    const env = { ...here.env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(shifted)}` };
    const later = await due(here, 3, '5 minutes');
    const now = await due(here, 3);
    // Somebody else is at work on this one, and has time left.
    const [held = ''] = await due(here, 1);
    await query(
      here.databaseUrl,
      `UPDATE delivery_attempts SET claim_token = gen_random_uuid(), claim_owner = 'alive', claim_kind = 'worker',
         claim_expires_at = now() + interval '5 minutes', try_number = 1 WHERE id = '${held}'`,
    );
    await startWorker(env);
    await eventually(
      () => states(here),
      ({ sent }) => sent === 3,
    );
    const rounds = async (): Promise<string> => {
      const [row] = (await query(
        here.databaseUrl,
        `SELECT last_run_at::text AS at FROM job_runs WHERE name = 'delivery-retries'`,
      )) as { at: string }[];
      return row?.at ?? '';
    };
    for (let looks = 0; looks < 3; looks += 1) {
      const last = await rounds();
      await eventually(rounds, (at) => at !== last);
    }
    expectEachOnce(here, now);
    expect(await states(here)).toEqual({ sent: 3, pending: later.length, 'pending claimed': 1 });
  });
});
