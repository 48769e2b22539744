import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/cli-process.js';
import { freePort } from '../../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { describeWithRedis, type RedisServer, startRedis } from '../../support/redis.js';

interface Report {
  readonly failed: number;
  readonly findings: readonly { readonly check: string; readonly state: string; readonly message: string }[];
}

const PASSWORD = 'a-password-that-nobody-may-read';

/** The password is in every address, and no output may have it. */
async function doctor(env: Readonly<Record<string, string>>): Promise<{ code: number | null; report: Report }> {
  const { code, stdout, stderr } = await runCommand(env, 'doctor', '--json');
  expect(stdout + stderr).not.toContain(PASSWORD);
  return { code, report: JSON.parse(stdout) as Report };
}

function messagesOf({ findings }: Report, check: string): string[] {
  return findings.filter((finding) => finding.check === check).map(({ state, message }) => `${state}: ${message}`);
}

describe('The doctor of a service whose parts are broken', () => {
  let database: TestDatabase;
  let silent: Server;
  let silentAddress: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    // Accepts connections and never answers.
    silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    silentAddress = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    silent.close();
    await database.drop();
  });

  it('says which servers nothing listens for, and finds the rest in order', async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    const { code, report } = await doctor({
      DATABASE_URL: database.url,
      REDIS_URL: `redis://:${PASSWORD}@${closed}`,
      SMTP_URL: `smtp://mailer:${PASSWORD}@${closed}`,
      CLICKHOUSE_URL: `http://${closed}`,
      CLICKHOUSE_USER: 'service',
      CLICKHOUSE_PASSWORD: PASSWORD,
    });
    expect(code).toBe(1);
    for (const check of ['redis', 'mail', 'clickhouse'])
      expect(messagesOf(report, check)).toEqual([expect.stringMatching(/^failed: .*ECONNREFUSED/)]);
    for (const check of ['database', 'clock', 'encryption', 'objects'])
      for (const message of messagesOf(report, check)) expect(message).toMatch(/^(ok|skipped): /);
    expect(report.failed).toBe(3);
  });

  it('ends although no server answers', async () => {
    const { code, report } = await doctor({
      DATABASE_URL: `postgresql://service:${PASSWORD}@${silentAddress}/service`,
      REDIS_URL: `redis://:${PASSWORD}@${silentAddress}`,
      SMTP_URL: `smtp://mailer:${PASSWORD}@${silentAddress}`,
      CLICKHOUSE_URL: `http://${silentAddress}`,
      CLICKHOUSE_USER: 'service',
      CLICKHOUSE_PASSWORD: PASSWORD,
    });
    expect(code).toBe(1);
    for (const check of ['database', 'redis', 'mail', 'clickhouse'])
      expect(messagesOf(report, check)).toEqual([expect.stringMatching(/^failed: /)]);
  });

  it('exits with the code of a wrong configuration when variables are wrong, and names all of them', async () => {
    const { code, report } = await doctor({ DATABASE_URL: PASSWORD, LOG_LEVEL: PASSWORD });
    expect(code).toBe(78);
    expect(messagesOf(report, 'configuration')).toEqual([
      expect.stringContaining('LOG_LEVEL'),
      expect.stringContaining('DATABASE_URL'),
    ]);
  });
});

describeWithRedis('The doctor of a service whose Redis loses data', () => {
  let redis: RedisServer;
  let database: TestDatabase;

  beforeAll(async () => {
    [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  });
  afterAll(() => Promise.all([redis.stop(), database.drop()]));

  it('fails for another eviction policy than noeviction, and for queued events without appendonly', async () => {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    client.disconnect();
    const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, INGEST_MODE: 'queued' };
    const { code, report } = await doctor(env);
    expect(code).toBe(1);
    expect(messagesOf(report, 'redis')).toEqual([
      expect.stringContaining('failed: Redis has the eviction policy allkeys-lru'),
      expect.stringContaining('failed: Redis has appendonly off'),
    ]);
  });
});
