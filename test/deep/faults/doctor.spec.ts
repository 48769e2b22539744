import { once } from 'node:events';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/cli-process.js';
import { cleanUp, isRoot, query, temporaryFolder } from '../../support/embedded-database.js';
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
    await cleanUp();
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

  it('creates nothing in the data folder, and checks the folder of objects only when it exists', async () => {
    const dataDir = await temporaryFolder();
    const objects = join(dataDir, 'objects');
    const look = async (path: string): Promise<string[]> => {
      const { report } = await doctor({ DATABASE_URL: database.url, DATA_DIR: path });
      return [...messagesOf(report, 'data folder'), ...messagesOf(report, 'objects')];
    };
    expect(await look(join(dataDir, 'missing'))).toEqual([
      expect.stringMatching(/^warning: .* does not exist yet/),
      expect.stringMatching(/^skipped: .* does not exist yet/),
    ]);
    expect(await readdir(dataDir)).toEqual([]);
    await mkdir(join(objects, 'staging'), { recursive: true });
    const marker = join(objects, 'store-id');
    expect((await look(dataDir)).at(-1)).toMatch(/^skipped: /);
    expect(await readdir(objects)).toEqual(['staging']);
    await writeFile(marker, 'a1b2\n');
    expect((await look(dataDir)).at(-1)).toBe('ok: The folder of objects in DATA_DIR can be written.');
    expect((await readdir(objects)).sort()).toEqual(['staging', 'store-id']);
    if (!isRoot) return;
    await chown(marker, 12_345, 12_345);
    expect((await look(dataDir)).at(-1)).toContain(
      'warning: The folder of objects in DATA_DIR belongs to the user 12345',
    );
  });

  it('advises a version that has both when the database has unknown migrations and lacks others', async () => {
    const mixed = await createTestDatabase();
    await query(
      mixed.url,
      `UPDATE migrations SET name = 'FromTheFuture1999000000000' WHERE id = (SELECT max(id) FROM migrations)`,
    );
    const { report } = await doctor({ DATABASE_URL: mixed.url });
    await mixed.drop();
    const [finding] = report.findings.filter(({ message }) => message.includes('migrations are not applied'));
    expect(finding).toMatchObject({ state: 'failed', advice: 'Start a version that has both.' });
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
