import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { renderConfigurationTable, renderEnvExample } from './listing.js';
import { ConfigError, loadConfig } from './load-config.js';
import { OIDC_SETTINGS } from './oidc-providers.js';
import { VARIABLES } from './variables.js';

/** Every name in the listings. Those of OpenID Connect providers are patterns. */
const NAMES = [...Object.keys(VARIABLES), ...OIDC_SETTINGS.map(({ suffix }) => `OIDC_<NAME>_${suffix}`)];

const pem = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = (): string => randomBytes(32).toString('base64');

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://service@db/service',
  REDIS_URL: 'redis://redis',
  JWT_PRIVATE_KEYS: pem('P-256'),
  CREDENTIAL_ENCRYPTION_KEYS: `k1:${key()}`,
  SMTP_URL: 'smtp://mail',
  PUBLIC_API_URL: 'https://api.example.com',
};

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

describe('the configuration', () => {
  it('needs nothing outside production', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      environment: 'development',
      http: { port: 3000, host: '127.0.0.1', trustProxy: false, corsOrigins: [], maxBodyBytes: 1_048_576 },
      database: { url: undefined, poolSize: 10 },
      queue: { backend: 'postgres' },
      process: { role: 'all', runsApi: true, runsWorkers: true },
      tokens: { accessTtlSeconds: 900, refreshTtlSeconds: 2_592_000 },
      dataDir: { isDefault: true },
      accessLog: 'all',
      tracing: undefined,
    });
  });

  it('counts empty values as unset', () => {
    expect(loadConfig({ PORT: '', REDIS_URL: ' ', CORS_ORIGINS: '' }).http.port).toBe(3000);
  });

  it('reports every fault at once, by name and without values', () => {
    const faults = faultsOf({
      PORT: '70000',
      NODE_ENV: 'prod',
      REDIS_URL: 'http://secret-host',
      CORS_ORIGINS: 'https://a.example/path',
      JWT_PRIVATE_KEYS: pem('P-384'),
      CREDENTIAL_ENCRYPTION_KEYS: 'k1:secretsecret',
      LOG_LEVEL: 'loud',
      ACCESS_LOG: 'some',
    });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'ACCESS_LOG',
      'CORS_ORIGINS',
      'CREDENTIAL_ENCRYPTION_KEYS',
      'JWT_PRIVATE_KEYS',
      'LOG_LEVEL',
      'NODE_ENV',
      'PORT',
      'REDIS_URL',
    ]);
    expect(faults.join()).not.toMatch(/secret|BEGIN/);
  });

  it('needs the address and the secret of a webhook for audit rows', () => {
    expect(faultsOf({ AUDIT_SINK: 'webhook', AUDIT_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' })).toEqual([
      'AUDIT_WEBHOOK_SECRET must encode 24 to 64 bytes',
      'AUDIT_WEBHOOK_URL is missing, though AUDIT_SINK is webhook',
    ]);
    expect(loadConfig({ AUDIT_SINK: 'file', DATA_DIR: '/data' }).auditSink).toEqual({
      kind: 'file',
      path: '/data/audit.ndjson',
    });
  });

  it.each(['production', 'development'])('refuses a TEST_CONTROL_TOKEN with NODE_ENV=%s', (environment) => {
    const env = { ...PRODUCTION, TEST_CONTROL_TOKEN: 'x' };
    expect(faultsOf({ ...env, NODE_ENV: environment })).toContain(
      'TEST_CONTROL_TOKEN is refused unless NODE_ENV is test',
    );
    expect(loadConfig({ ...env, NODE_ENV: 'test' }).testControlToken).toBe('x');
  });

  it('is strict in production', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({
      environment: 'production',
      http: { host: '0.0.0.0' },
      queue: { backend: 'redis' },
    });
    for (const name of ['DATABASE_URL', 'JWT_PRIVATE_KEYS', 'CREDENTIAL_ENCRYPTION_KEYS', 'SMTP_URL']) {
      expect(faultsOf({ ...PRODUCTION, [name]: undefined })).toContain(`${name} is required in production`);
    }
  });

  it('takes several keys, the first of which leads', () => {
    const [first, second] = [pem('P-256'), pem('P-256')];
    const config = loadConfig({
      JWT_PRIVATE_KEYS: `${first}\n${second}`,
      CREDENTIAL_ENCRYPTION_KEYS: `new:${key()}, old:${key()}`,
    });
    expect(config.tokens.privateKeys).toEqual([first.trim(), second.trim()]);
    expect(config.credentialKeys).toMatchObject([{ id: 'new' }, { id: 'old' }]);
    expect(loadConfig({ JWT_PRIVATE_KEYS: first.replaceAll('\n', '\\n') }).tokens.privateKeys).toEqual([first.trim()]);
    expect(loadConfig({ CREDENTIAL_ENCRYPTION_KEYS: 'disabled' }).credentialKeys).toBe('disabled');
    expect(faultsOf({ CREDENTIAL_ENCRYPTION_KEYS: `same:${key()},same:${key()}` })).toHaveLength(1);
  });

  it.each([
    ['off', false],
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8', '10.0.0.0/8'],
  ])('reads TRUST_PROXY %s', (text, value) => {
    expect(loadConfig({ TRUST_PROXY: text }).http.trustProxy).toBe(value);
  });

  it.each(['foo', '10.0.0.0/33', '10.0.0.1,nope', '::1/129'])('refuses TRUST_PROXY %s', (text) => {
    expect(faultsOf({ TRUST_PROXY: text })).toHaveLength(1);
  });

  it('reads the subnets that deliveries may reach', () => {
    const read = (text: string) => loadConfig({ OUTBOUND_ALLOWED_SUBNETS: text }).outbound.allowedSubnets;
    expect(read('')).toEqual([]);
    expect(read('10.1.0.0/16, fd00::/8,127.0.0.1,')).toEqual([
      { family: 'ipv4', address: '10.1.0.0', prefix: 16 },
      { family: 'ipv6', address: 'fd00::', prefix: 8 },
      { family: 'ipv4', address: '127.0.0.1', prefix: 32 },
    ]);
  });

  it('reads the samplers of OpenTelemetry', () => {
    const read = (sampler: string, share?: string) =>
      loadConfig({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: share,
      }).tracing?.sampling;
    expect(read('')).toEqual({ ratio: 1, followsParent: true });
    expect(read('always_on', '0.5')).toEqual({ ratio: 1, followsParent: false });
    expect(read('parentbased_always_off')).toEqual({ ratio: 0, followsParent: true });
    expect(read('traceidratio', '0.25')).toEqual({ ratio: 0.25, followsParent: false });
    expect(read('parentbased_traceidratio', '.1')).toEqual({ ratio: 0.1, followsParent: true });
    expect(faultsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '1.5' })).toEqual([
      'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio',
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1',
    ]);
  });

  it.each([
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.1/16',
    'fd00::/129',
    'fe80::1%eth0',
    '10.0.0.0/8/8',
    '10.0.0.1 10.0.0.2',
  ])('refuses OUTBOUND_ALLOWED_SUBNETS %s', (text) => {
    expect(faultsOf({ OUTBOUND_ALLOWED_SUBNETS: text })).toEqual([
      'OUTBOUND_ALLOWED_SUBNETS must be comma-separated ranges such as 10.1.0.0/16 or fd00::/8',
    ]);
  });

  it('reads the name servers for the TXT records of domains', () => {
    const read = (text: string) => loadConfig({ SSO_DNS_SERVERS: text }).ssoDnsServers;
    expect(read('')).toEqual([]);
    const servers = ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:5353'];
    expect(read(servers.join(', '))).toEqual(servers);
  });

  it.each([
    'dns.example.com',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '192.0.2.53:',
    '192.0.2.256',
    '[192.0.2.53',
    'fe80::1%eth0',
    '192.0.2.1,192.0.2.2,192.0.2.3,192.0.2.4,192.0.2.5',
  ])('refuses SSO_DNS_SERVERS %s', (text) => {
    expect(faultsOf({ SSO_DNS_SERVERS: text })).toEqual([
      'SSO_DNS_SERVERS must be at most 4 comma-separated addresses such as 192.0.2.53 or 192.0.2.53:5353',
    ]);
  });

  it('refuses what cannot work together', () => {
    expect(faultsOf({ QUEUE_BACKEND: 'redis' })).toEqual(['QUEUE_BACKEND is redis but REDIS_URL is not set']);
    expect(faultsOf({ PROCESS_ROLE: 'worker' })).toHaveLength(1);
    expect(faultsOf({ PROCESS_ROLE: 'worker', DATABASE_URL: 'postgres://db/x' })).toEqual([]);
  });

  it('refuses to wait for the migrations of the embedded database', () => {
    expect(faultsOf({ MIGRATE_ON_START: 'wait' })).toEqual([
      'MIGRATE_ON_START is wait but DATABASE_URL is not set: nothing else migrates the embedded database',
    ]);
    const { database } = loadConfig({ MIGRATE_ON_START: 'wait', DATABASE_URL: 'postgres://db/x' });
    expect(database.migrations).toBe('wait');
  });

  it('cannot be changed', () => {
    const config = loadConfig({});
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });

  it('shows every name in .env.example', () => {
    for (const name of NAMES) expect(renderEnvExample()).toContain(`\n#${name}=`);
  });

  it('shows every name in the table, each in a row of three cells', () => {
    const rows = renderConfigurationTable()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => /^\| `([\w<>]+)`/.exec(row)?.[1]).sort()).toEqual([...NAMES].sort());
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 5)).toEqual([]);
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oes-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const fileOf = (content: string | Buffer): string => {
    const path = join(folder, `secret-${(files += 1)}`);
    writeFileSync(path, content);
    return path;
  };
  const tokenOf = (content: string): string | undefined =>
    loadConfig({ INTERNAL_JOB_TOKEN_FILE: fileOf(content) }).internalJobToken;

  it('is read without its last line end', () => {
    expect(tokenOf('s3cret')).toBe('s3cret');
    expect(tokenOf('s3cret\n')).toBe('s3cret');
    expect(tokenOf('s3cret\r\n')).toBe('s3cret');
    expect(tokenOf(' two\nlines \n\n')).toBe(' two\nlines \n');
  });

  it('serves production, for every secret that production needs', () => {
    const { DATABASE_URL, JWT_PRIVATE_KEYS, CREDENTIAL_ENCRYPTION_KEYS, SMTP_URL, ...others } = PRODUCTION;
    const config = loadConfig({
      ...others,
      DATABASE_URL_FILE: fileOf(`${DATABASE_URL}\n`),
      JWT_PRIVATE_KEYS_FILE: fileOf(JWT_PRIVATE_KEYS),
      CREDENTIAL_ENCRYPTION_KEYS_FILE: fileOf(`${CREDENTIAL_ENCRYPTION_KEYS}\n`),
      SMTP_URL_FILE: fileOf(`${SMTP_URL}\n`),
    });
    expect(config).toEqual(loadConfig(PRODUCTION));
  });

  it('is refused in one sentence that shows neither the content nor the path', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const refused: [path: string, sentence: string][] = [
      [join(folder, 'secret-missing'), 'names a file that cannot be read (ENOENT)'],
      [folder, 'names something that is no regular file'],
      [pipe, 'names something that is no regular file'],
      [fileOf(' \n'), 'names an empty file'],
      [fileOf('secret'.repeat(20_000)), 'names a file of more than 65536 bytes'],
      [fileOf(Buffer.from([0xff, 0xfe, 0x73])), 'names a file that is no UTF-8 text'],
    ];
    for (const [path, sentence] of refused) {
      const faults = faultsOf({ ...PRODUCTION, JWT_PRIVATE_KEYS: undefined, JWT_PRIVATE_KEYS_FILE: path });
      expect(faults).toEqual([`JWT_PRIVATE_KEYS_FILE ${sentence}`]);
    }
    const wrong = faultsOf({ SMTP_URL_FILE: fileOf('http://user:secret@mail') });
    expect(wrong).toEqual(['SMTP_URL must be a URL starting with smtp:// or smtps://']);
  });

  it('is refused when the variable without _FILE is set too', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://mail', SMTP_URL_FILE: fileOf('smtp://mail') })).toEqual([
      'SMTP_URL_FILE and SMTP_URL are both set: unset one of them',
    ]);
    expect(faultsOf({ SMTP_URL: ' ', SMTP_URL_FILE: fileOf('smtp://mail') })).toEqual([]);
  });

  it('is possible for every variable whose name is that of a secret, and listed', () => {
    const secrets = Object.entries(VARIABLES).filter(([name]) => /(SECRET|PASSWORD|TOKEN|KEYS?)$/.test(name));
    expect(secrets.length).toBeGreaterThan(8);
    expect(secrets.filter(([, { takesFile }]) => !takesFile)).toEqual([]);
    expect(renderEnvExample()).toContain('\n#DATABASE_URL_FILE=\n');
    expect(renderConfigurationTable()).toContain('| `DATABASE_URL`, `DATABASE_URL_FILE` |');
  });
});
