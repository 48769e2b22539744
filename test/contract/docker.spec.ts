import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Config, loadConfig } from '../../src/config/index.js';
import { VARIABLES } from '../../src/config/variables.js';
import {
  argumentsOfBases,
  type ComposeService,
  copiesOf,
  environmentOf,
  interpolate,
  isIgnored,
  readCompose,
  readDockerfile,
  readFiles,
  requiredNames,
  ROOT,
  type Stage,
  textsOf,
} from './docker-files.js';

const stages = readDockerfile();
const runtime = stages.at(-1) as Stage;
const dependencies = stages.find((stage) => stage.alias === 'dependencies') as Stage;
const { services, volumes, secrets } = readCompose();
const own = Object.entries(services).filter(([, service]) => service.build !== undefined);
/** The API and the worker. */
const processes = own.filter(([, service]) => service.entrypoint === undefined);

/** These come from the shell, the others from files. */
const PASSWORDS = ['POSTGRES_PASSWORD', 'S3_SECRET_ACCESS_KEY'];
const FILES = ['JWT_PRIVATE_KEYS', 'CREDENTIAL_ENCRYPTION_KEYS'];
const EXAMPLES: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
  JWT_PRIVATE_KEYS: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  CREDENTIAL_ENCRYPTION_KEYS: `main:${randomBytes(32).toString('base64')}`,
  S3_SECRET_ACCESS_KEY: randomBytes(24).toString('hex'),
};

/** What the process in a container of this service sees. */
function environmentIn(service: ComposeService, values: Readonly<Record<string, string>>): Record<string, string> {
  const declared = Object.entries(service.environment ?? {});
  const given = Object.fromEntries(declared.map(([name, value]) => [name, interpolate(value, values)]));
  const inFiles = Object.entries(values).filter(([name]) => service.secrets?.includes(name));
  return { ...environmentOf(runtime), ...readFiles(given, Object.fromEntries(inFiles)) };
}

function configOf(name: string): Config {
  return loadConfig(environmentIn(services[name] as ComposeService, EXAMPLES));
}

/** The variable that a name of an environment sets. */
function variableOf(name: string): string {
  return name.replace(/_FILE$/, '');
}

describe('the image', () => {
  it('takes from the build context only paths that exist and are not ignored', () => {
    const taken = stages.flatMap(copiesOf).filter((copy) => copy.from === null);
    const sources = taken.flatMap((copy) => copy.sources);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((path) => !existsSync(join(ROOT, path)) || isIgnored(path))).toEqual([]);
  });

  it('builds the help of the console from the guides', () => {
    expect(stages.flatMap(copiesOf).flatMap(({ sources }) => sources)).toContain('docs/guide');
  });

  it('keeps secrets, data, specs and the installed packages of this machine out of the build context', () => {
    const unwanted = ['.env', 'docker/.env', '.data/secrets', '.git', 'node_modules', 'dist', 'src/config/x.spec.ts'];
    expect(unwanted.filter((path) => !isIgnored(path))).toEqual([]);
  });

  it('copies between stages that exist', () => {
    const aliases = stages.map((stage) => stage.alias);
    const used = stages.flatMap(copiesOf).flatMap((copy) => copy.from ?? []);
    expect(used.filter((alias) => !aliases.includes(alias))).toEqual([]);
  });

  it('has the command oes, which runs the command line of the build', () => {
    const copy = copiesOf(runtime).find(({ target }) => target === '/usr/local/bin/oes');
    const script = readFileSync(join(ROOT, copy?.sources[0] ?? ''), 'utf8');
    const file = /exec node \/app\/dist\/(\S+)\.js "\$@"/.exec(script)?.[1] ?? '';
    expect(existsSync(join(ROOT, `${file}.ts`))).toBe(true);
  });

  it('starts the compiled entry file of the build layout directly, so that signals reach it', () => {
    const [entry] = textsOf(runtime, 'ENTRYPOINT');
    const [program, file = ''] = JSON.parse(entry ?? '[]') as string[];
    expect(program).toBe('node');
    const compiled = /^dist\/(.+)\.js$/.exec(file)?.[1] ?? '';
    expect(existsSync(join(ROOT, `${compiled}.ts`))).toBe(true);
    const settings = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: { rootDir: string; outDir: string };
    };
    expect(settings.compilerOptions).toMatchObject({ rootDir: '.', outDir: 'dist' });
    const folders = copiesOf(runtime).filter((copy) => copy.from === 'build');
    const built = ['dist/src/', 'dist/migrations/', 'dist/console/', 'dist/pages/'];
    expect(folders.map((copy) => copy.target)).toEqual(expect.arrayContaining(built));
    expect(textsOf(runtime, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('runs as an ordinary user', () => {
    const user = textsOf(runtime, 'USER').at(-1);
    expect(user).toBeDefined();
    // Kubernetes accepts only a number as proof.
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('installs its packages by the script that the deep tests run', () => {
    expect(textsOf(dependencies, 'RUN').join()).toMatch(/node scripts\/image\.mjs \$\{TARGETARCH\}$/);
    const modules = copiesOf(runtime).filter((copy) => copy.target.startsWith('node_modules'));
    expect(modules.map((copy) => copy.from)).toEqual(['dependencies']);
  });

  it('names its version, its revision, its source, its licence and its base', () => {
    const labels = [
      ...textsOf(runtime, 'LABEL')
        .join(' ')
        .matchAll(/opencontainers\.image\.([\w.]+)=/g),
    ];
    expect(labels.map(([, name]) => name)).toEqual(
      expect.arrayContaining(['version', 'revision', 'source', 'licenses', 'base.name']),
    );
  });

  it('takes its base from one argument, which a release sets to a digest', () => {
    expect(stages.filter(({ base }) => !/^\$\{NODE_IMAGE\}$/.test(base))).toEqual([]);
    expect(argumentsOfBases()).toEqual({ NODE_IMAGE: 'node:24-slim' });
  });

  it('brings the native part of the password hash, which is an optional package', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { optional?: boolean }>;
    };
    for (const platform of ['linux-x64-gnu', 'linux-arm64-gnu']) {
      expect(lock.packages[`node_modules/@node-rs/argon2-${platform}`]?.optional).toBe(true);
    }
  });

  it('holds no environment name the service does not read, and no secret', () => {
    const names = Object.keys(environmentOf(runtime));
    expect(names.filter((name) => !(name in VARIABLES))).toEqual([]);
    expect(names.filter((name) => [...PASSWORDS, ...FILES].includes(name))).toEqual([]);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('reports an answer of %i on /health as exit code %i', async (status, code) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status, { connection: 'close' }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await runHealthCheck(port)).toBe(code);
    expect(asked).toEqual(['/health']);
    await once(server.close(), 'close');
    expect(await runHealthCheck(port)).toBe(1);
  });
});

/** Runs the image's own health check against a port of this machine. @returns its exit code */
async function runHealthCheck(port: number): Promise<unknown> {
  expect(textsOf(runtime, 'HEALTHCHECK').at(-1)).toMatch(/CMD \["oes-health"\]$/);
  const { sources } = copiesOf(runtime).find((copy) => copy.target === '/usr/local/bin/oes-health') ?? {};
  const file = join(ROOT, sources?.[0] ?? '');
  const [code] = (await once(spawn(file, { env: { OPS_PORT: String(port) } }), 'close')) as unknown[];
  return code;
}

describe('compose.yaml', () => {
  it('runs the migrations, the API and the worker from the Dockerfile beside it', () => {
    expect(own.map(([name]) => name)).toEqual(['migrate', 'api', 'worker']);
    expect(processes.map(([name]) => name)).toEqual(['api', 'worker']);
    for (const [, { build }] of own) {
      expect(join(ROOT, 'docker', build?.context ?? '')).toBe(ROOT);
      expect(existsSync(join(ROOT, build?.dockerfile ?? ''))).toBe(true);
    }
  });

  it.each(own)('gives %s only names the service reads', (_name, service) => {
    expect(Object.keys(service.environment ?? {}).filter((name) => !(variableOf(name) in VARIABLES))).toEqual([]);
  });

  it.each(own)('hands every name about the event store on to %s', (_name, service) => {
    const names = Object.entries(VARIABLES).filter(([, { group }]) => group === 'Event store');
    const given = Object.entries(service.environment ?? {}).filter(([, value]) => /^\$\{(\w+):-\}$/.test(value));
    expect(given.map(([name]) => name)).toEqual(expect.arrayContaining(names.map(([name]) => name)));
  });

  it('gives the API a configuration that production accepts, listening where its port is published', () => {
    const config = configOf('api');
    expect(config.environment).toBe('production');
    expect(config.process).toEqual({ role: 'api', runsApi: true, runsWorkers: false });
    expect(config.http.host).toBe('0.0.0.0');
    const published = (services.api?.ports ?? []).map((port) => interpolate(port, {}).split(':').at(-1));
    expect(published).toEqual([String(config.http.port)]);
    expect(textsOf(runtime, 'EXPOSE')).toEqual([`${config.http.port} ${config.operations.port}`]);
  });

  it('gives the worker a configuration that production accepts, on the same database, queues and keys', () => {
    const [api, worker] = [configOf('api'), configOf('worker')];
    expect(worker.process).toEqual({ role: 'worker', runsApi: false, runsWorkers: true });
    for (const part of [
      'environment',
      'database',
      'redis',
      'queue',
      'tokens',
      'credentialKeys',
      'mail',
      'storage',
    ] as const) {
      expect(worker[part]).toEqual(api[part]);
    }
  });

  it('applies the migrations once, with the configuration of the API, by a command that the image has', () => {
    const { migrate } = services;
    expect([migrate?.entrypoint, migrate?.restart]).toEqual([['oes', 'migrate'], 'no']);
    expect(copiesOf(runtime).map(({ target }) => target)).toContain('/usr/local/bin/oes');
    expect(configOf('migrate').database).toEqual(configOf('api').database);
  });

  it.each([
    ['database.url', 'postgres'],
    ['redis.url', 'redis'],
    ['mail.smtpUrl', 'mail'],
    ['storage.s3.endpoint', 'objects'],
  ])('points %s at a service it starts', (setting, service) => {
    expect(Object.keys(services)).toContain(service);
    const config = configOf('api');
    const urls = {
      'database.url': config.database.url,
      'redis.url': config.redis.url,
      'mail.smtpUrl': config.mail.smtpUrl,
      'storage.s3.endpoint': config.storage.s3?.endpoint,
    };
    expect(new URL(urls[setting as keyof typeof urls] ?? '').hostname).toBe(service);
  });

  it('creates the database and the user that the service connects with', () => {
    const url = new URL(configOf('api').database.url ?? '');
    const server = services.postgres?.environment ?? {};
    expect(server.POSTGRES_USER).toBe(url.username);
    expect(server.POSTGRES_DB).toBe(url.pathname.slice(1));
    expect(interpolate(server.POSTGRES_PASSWORD ?? '', EXAMPLES)).toBe(url.password);
  });

  it('starts a store with the bucket and the keys that the service asks it with', () => {
    const s3 = configOf('api').storage.s3;
    const { environment = {}, volumes: mounted } = services.objects ?? {};
    expect(mounted?.map((volume) => volume.split(':')[1])).toEqual([`/data/${s3?.bucket}`]);
    expect(interpolate(environment.ROOT_ACCESS_KEY_ID ?? '', EXAMPLES)).toBe(s3?.accessKeyId);
    expect(interpolate(environment.ROOT_SECRET_ACCESS_KEY ?? '', EXAMPLES)).toBe(s3?.secretAccessKey);
    expect(new URL(s3?.endpoint ?? '').port).toBe(environment.VGW_PORT?.slice(1));
    expect(s3?.forcePathStyle).toBe(true);
  });

  it('starts a ClickHouse for its profile alone, with the user and the password that the service asks it with', () => {
    const { clickhouse } = services;
    const profiled = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
    expect(profiled).toEqual([['clickhouse', clickhouse]]);
    expect(clickhouse?.profiles).toEqual(['clickhouse']);
    const asked = { ...EXAMPLES, CLICKHOUSE_URL: 'http://clickhouse:8123', CLICKHOUSE_PASSWORD: 'secret' };
    const config = loadConfig(environmentIn(services.api as ComposeService, { ...asked, EVENT_STORE: 'clickhouse' }));
    const { CLICKHOUSE_USER: user = '', CLICKHOUSE_PASSWORD: password = '' } = clickhouse?.environment ?? {};
    expect(config.eventStore?.user).toBe(interpolate(user, asked));
    expect(config.eventStore?.password).toBe(interpolate(password, asked));
    expect(config.eventReads).toBe('clickhouse');
    expect(configOf('api').eventStore).toBeUndefined();
  });

  it.each(PASSWORDS)('refuses to start without %s and has no value of its own for it', (secret) => {
    const { [secret]: _absent, ...rest } = EXAMPLES;
    expect(() => own.map(([, service]) => environmentIn(service, rest))).toThrow(`${secret} is required`);
  });

  it('requires nothing beyond those passwords and the files of the keys', () => {
    const values = Object.values(services).flatMap((service) => Object.values(service.environment ?? {}));
    expect(new Set(values.flatMap(requiredNames))).toEqual(new Set(PASSWORDS));
    expect(Object.keys(secrets)).toEqual(FILES);
    expect(own.map(([, service]) => service.secrets)).toEqual(own.map(() => FILES));
  });

  it('keeps the files of the keys out of Git and out of the image', () => {
    const paths = Object.values(secrets).map(({ file }) => join('docker', file));
    expect(paths.filter((path) => !isIgnored(path))).toEqual([]);
    const ignored = execFileSync('git', ['check-ignore', ...paths], { cwd: ROOT, encoding: 'utf8' });
    expect(ignored.trim().split('\n')).toEqual(paths);
  });

  it('bounds the processor time, the memory and the processes of every container of the image', () => {
    for (const [, { deploy }] of own) {
      expect(Object.keys(deploy?.resources.limits ?? {})).toEqual(['cpus', 'memory', 'pids']);
    }
  });

  it('waits only for services that exist, for health only where there is a health check, and for the end of one-off services only', () => {
    const faults = Object.entries(services).flatMap(([name, service]) =>
      Object.entries(service.depends_on ?? {})
        .filter(([other, { condition }]) => !canBeWaitedFor(services[other], condition))
        .map(([other]) => `${name} waits for ${other}`),
    );
    expect(faults).toEqual([]);
  });

  it('starts the worker after the migrations and the API after the worker, as an upgrade needs it', () => {
    expect(services.worker?.depends_on?.migrate).toEqual({ condition: 'service_completed_successfully' });
    expect(services.api?.depends_on?.worker).toEqual({ condition: 'service_healthy' });
  });

  it("uses the image's health check for the API and for the worker", () => {
    expect(processes.map(([, { healthcheck }]) => healthcheck)).toEqual([undefined, undefined]);
  });

  it('publishes ports on this machine alone, and neither the database nor Redis nor the objects', () => {
    const published = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(published.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    const inside = [services.postgres, services.redis, services.objects, services.clickhouse];
    expect(inside.map((service) => service?.ports)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('declares the volumes it uses and names a version of every image it pulls', () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(used.map((volume) => volume.split(':')[0])).toEqual(Object.keys(volumes));
    const pulled = Object.values(services).filter((service) => service.build === undefined);
    expect(pulled.filter((service) => !/:v?\d/.test(service.image ?? ''))).toEqual([]);
  });
});

function canBeWaitedFor(service: ComposeService | undefined, condition: string): boolean {
  if (condition === 'service_completed_successfully') return service?.restart === 'no';
  return condition === 'service_healthy' && hasHealthCheck(service);
}

function hasHealthCheck(service: ComposeService | undefined): boolean {
  if (service === undefined) return false;
  if (service.healthcheck !== undefined) return service.healthcheck.disable !== true;
  return service.build !== undefined && textsOf(runtime, 'HEALTHCHECK').length > 0;
}
