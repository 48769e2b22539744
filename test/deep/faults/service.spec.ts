import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { waitUntilGone } from '../../../src/embedded-postgres/processes.js';
import {
  cleanUp,
  cleanups,
  folderWithDatabase,
  removeMadeDatabase,
  temporaryFolder,
} from '../../support/embedded-database.js';
import {
  CLEAN_EXIT,
  embeddedDatabase,
  eventually,
  launch,
  type LaunchOptions,
  NPM_START,
  REFUSED_CONFIGURATION,
  refusesConnections,
  runningDatabase,
  type ServiceProcess,
  START,
  startService,
} from '../../support/service-process.js';
import {
  call,
  Client,
  HEALTH,
  ingestMessage,
  IngestTraffic,
  loginMessage,
  meMessage,
  openAccount,
  storedEvents,
} from '../../support/service-traffic.js';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';

const folderWithTables = (): Promise<string> => folderWithDatabase({ isMigrated: true });

afterEach(cleanUp);
afterAll(removeMadeDatabase);

describe('npm start', () => {
  it('needs nothing but a folder, says what to do next, and finds its data again', async () => {
    const dataDir = await temporaryFolder();
    const first = await startService({ command: NPM_START, ownGroup: true, env: { DATA_DIR: dataDir } });
    await first.printed('npm run demo');
    expect(first.stdout).toContain(`${first.url}/docs`);
    expect(first.stdout).toContain(join(dataDir, 'outbox'));
    expect(await call(first.url, HEALTH)).toMatchObject({ status: 200, body: { status: 'ok' } });
    const account = await openAccount(first.url, dataDir);
    const database = await runningDatabase(dataDir);
    // To npm alone, as a supervisor or "kill" does.
    first.signal('SIGTERM');
    await first.end();
    expect(await waitUntilGone(database.pid, HANG_TIMEOUT_MS)).toBe(true);
    await refusesConnections(first.url);

    const second = await startService({ env: { DATA_DIR: dataDir } });
    expect(await call(second.url, meMessage(account))).toMatchObject({ status: 200, body: { email: account.email } });
    expect(await call(second.url, loginMessage(account.email))).toMatchObject({ status: 200 });
    expect(await second.stop()).toEqual(CLEAN_EXIT);
  });
});

describe.each<[string, LaunchOptions['command'], (service: ServiceProcess) => void]>([
  ['SIGTERM to the service', undefined, (service) => service.signal('SIGTERM')],
  [
    'a signal to its process group and another to it, as Ctrl-C under npm comes',
    START,
    (service) => {
      service.signalGroup('SIGINT');
      // Of another kind, as the system makes one of two that wait.
      service.signal('SIGTERM');
    },
  ],
])('%s', (_, command, interrupt) => {
  it('lets what was accepted finish, loses nothing of it and leaves no database behind', async () => {
    const dataDir = await folderWithTables();
    const service = await startService({ command, ownGroup: true, env: { DATA_DIR: dataDir } });
    const account = await openAccount(service.url, dataDir);
    const database = await runningDatabase(dataDir);
    const clients = Array.from({ length: 24 }, () => new Client(service.url));
    cleanups.push(async () => clients.forEach((client) => client.close()));
    for (const client of clients) expect(await client.send(HEALTH)).toMatchObject({ status: 200 });

    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    // Its end by the stopping server is no error of the test.
    holder.on('error', () => undefined);
    await holder.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const ids = Array.from({ length: 20 }, (__, index) => `held-${String(index).padStart(2, '0')}`);
    const messages = [...ids.map((id) => ingestMessage(account, id)), ...Array(4).fill(loginMessage(account.email))];
    const requests = await Promise.all(clients.map((client, index) => client.announce(messages[index])));
    // Some are read whole before the signal, some after it.
    const [early, late] = [requests.slice(5), requests.slice(0, 5)];
    for (const request of early) request.finish();
    interrupt(service);
    await refusesConnections(service.url);
    for (const request of late) request.finish();
    await holder.query('ROLLBACK');
    await holder.end();

    const outcomes = await Promise.all(requests.map((request) => request.outcome));
    expect(outcomes.filter((outcome) => outcome.kind !== 'answered' || outcome.status !== 200)).toEqual([]);
    expect(await service.end()).toEqual(CLEAN_EXIT);
    expect(await waitUntilGone(database.pid, HANG_TIMEOUT_MS)).toBe(true);
    expect(await embeddedDatabase(dataDir)).toBeNull();

    await startService({ env: { DATA_DIR: dataDir } });
    expect(await storedEvents((await runningDatabase(dataDir)).url)).toEqual({ ids, counted: ids.length });
  });
});

describe('a stop under traffic', () => {
  it('answers every event it stores and stores every event it answers', async () => {
    const dataDir = await folderWithTables();
    const service = await startService({ env: { DATA_DIR: dataDir } });
    const traffic = new IngestTraffic(service.url, await openAccount(service.url, dataDir), 20);
    await traffic.hasAccepted(200);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    await traffic.over;
    // A request that meets the end of its connection is lost, and nothing of it is stored, as is seen below.
    expect(traffic.others.filter(({ kind }) => kind !== 'refused' && kind !== 'lost')).toEqual([]);

    await startService({ env: { DATA_DIR: dataDir } });
    const ids = [...traffic.accepted].sort();
    expect(await storedEvents((await runningDatabase(dataDir)).url)).toEqual({ ids, counted: ids.length });
  });

  it('waits for a client that is still reading a large answer', async () => {
    const dataDir = await folderWithTables();
    const service = await startService({ env: { DATA_DIR: dataDir } });
    const account = await openAccount(service.url, dataDir);
    // Together more than the system keeps for a reader that does not read.
    for (let index = 0; index < 16; index += 1) {
      await call(service.url, ingestMessage(account, `large-${index}`, { text: 'x'.repeat(1_000_000) }));
    }
    const client = new Client(service.url);
    const answer = await client.ask({
      ...meMessage(account),
      path: `/v1/logs?project_id=${account.projectId}&range=all&limit=500`,
    });
    expect(answer.status).toBe(200);
    service.signal('SIGTERM');
    await refusesConnections(service.url);
    const outcome = await answer.read();
    client.close();
    // As many as fit into the bytes of an answer.
    expect(outcome.kind === 'answered' ? JSON.parse(outcome.body) : outcome).toHaveLength(4);
    expect(await service.end()).toEqual(CLEAN_EXIT);
  });
});

describe('kill -9', () => {
  it('ends the database too, loses no answered event and counts every stored one', async () => {
    const dataDir = await folderWithTables();
    const service = await startService({ env: { DATA_DIR: dataDir } });
    const database = await runningDatabase(dataDir);
    const traffic = new IngestTraffic(service.url, await openAccount(service.url, dataDir), 20);
    await traffic.hasAccepted(300);
    expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await traffic.over;
    expect(await waitUntilGone(database.pid, HANG_TIMEOUT_MS)).toBe(true);

    const next = await startService({ env: { DATA_DIR: dataDir } });
    expect(await call(next.url, HEALTH)).toMatchObject({ status: 200 });
    const { ids, counted } = await storedEvents((await runningDatabase(dataDir)).url);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(traffic.accepted));
    expect(counted).toBe(ids.length);
    expect(await next.stop()).toEqual(CLEAN_EXIT);
  });
});

describe('a second service', () => {
  it('runs on a folder of its own, and is refused on the folder of the first', async () => {
    const [one, other] = [await folderWithTables(), await folderWithTables()];
    const [first, second] = await Promise.all(
      [one, other].map((dataDir) => startService({ env: { DATA_DIR: dataDir } })),
    );
    const account = await openAccount(first!.url, one);
    expect(await call(second!.url, meMessage(account))).toMatchObject({ status: 401 });

    const refused = launch({ env: { DATA_DIR: one } });
    expect(await refused.end()).toEqual(REFUSED_CONFIGURATION);
    expect(refused.stderr).toBe(
      `Another service (process ${first!.pid}) uses the data folder "${one}": stop it first, or set DATA_DIR to another folder.\n`,
    );
    expect(await call(first!.url, meMessage(account))).toMatchObject({ status: 200 });

    // Whoever asks again, later than a terminal and npm do together, does not want to wait for what is held up.
    const holder = new pg.Client({ connectionString: (await runningDatabase(one)).url });
    await holder.connect();
    holder.on('error', () => undefined);
    await holder.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const client = new Client(first!.url);
    cleanups.push(async () => client.close());
    (await client.announce(ingestMessage(account, 'held'))).finish();
    await eventually(
      async () => first!.signal('SIGINT'),
      () => !first!.isRunning,
    );
    expect(await first!.end()).toEqual({ code: 1, signal: null });
    await holder.end().catch(() => undefined);
  });
});

describe('a service whose standard output nobody reads', () => {
  it('answers all the same, and has its log lines in order when they are read', async () => {
    const dataDir = await folderWithTables();
    const service = await startService({ env: { DATA_DIR: dataDir } });
    service.stopReading();
    // Some 300 bytes a line, and a pipe takes 64 KiB to a few hundred.
    for (let sent = 0; sent < 2_500; sent += 50)
      await Promise.all(Array.from({ length: 50 }, (_, at) => fetch(`${service.url}/v1/nothing?n=${sent + at}`)));
    expect(await call(service.url, HEALTH)).toMatchObject({ status: 200 });
    service.readOn();
    const lines = (): string[] => service.stdout.split('\n').filter((line) => line.includes('"message":"request"'));
    await eventually(
      () => Promise.resolve(lines()),
      ({ length }) => length === 2_500,
    );
    const times = lines().map((line) => (JSON.parse(line) as { time: string }).time);
    expect(times).toEqual([...times].sort());
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});

describe('a configuration that is not usable', () => {
  /** Runs the service, which must not start; gives what it said. */
  async function refusal(env: Record<string, string>): Promise<string> {
    const dataDir = join(await temporaryFolder(), 'data');
    const service = launch({ env: { DATA_DIR: dataDir, ...env } });
    expect(await service.end()).toEqual(REFUSED_CONFIGURATION);
    expect(service.stdout).toBe('');
    expect(existsSync(dataDir)).toBe(false);
    return service.stderr;
  }

  it('is refused with every wrong name and without their values', async () => {
    const wrong = {
      NODE_ENV: 'wrong-environment',
      PROCESS_ROLE: 'wrong-role',
      PORT: '99999',
      LOG_LEVEL: 'wrong-level',
      DATABASE_POOL_SIZE: 'wrong-size',
      DATABASE_URL: 'mysql://user:wrong-database-password@host/name',
      REDIS_URL: 'http://:wrong-redis-password@host',
      JWT_PRIVATE_KEYS: 'wrong-signing-key',
      CREDENTIAL_ENCRYPTION_KEYS: 'id:wrong-encryption-key',
      SMTP_URL: 'http://user:wrong-mail-password@host',
      ACCESS_TOKEN_TTL_SECONDS: 'wrong-lifetime',
      ENABLE_REQUEST_METERING: 'wrong-flag',
    };
    const said = await refusal(wrong);
    for (const name of Object.keys(wrong)) expect(said).toContain(`  - ${name} `);
    expect(said.trim().split('\n')).toHaveLength(1 + Object.keys(wrong).length);
    expect(said).not.toMatch(/wrong-|99999/);
  });

  it('is one for production without what production needs', async () => {
    const said = await refusal({ NODE_ENV: 'production' });
    for (const name of [
      'DATABASE_URL',
      'JWT_PRIVATE_KEYS',
      'CREDENTIAL_ENCRYPTION_KEYS',
      'SMTP_URL',
      'PUBLIC_API_URL',
    ]) {
      expect(said).toContain(`  - ${name} is required in production`);
    }
  });

  it.each(['worker', 'api'])('is the role "%s" without a database that both roles can reach', async (role) => {
    expect(await refusal({ PROCESS_ROLE: role })).toContain(`PROCESS_ROLE ${role} needs DATABASE_URL`);
  });
});
