// Starts the built service that all black-box suites of a run share, on a database of its own.
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startTied } from '../../../dist/src/embedded-postgres/tied-process.js';
import { HANG_TIMEOUT_MS } from '../bounds.mjs';
import { makeDataFolder } from '../data-folder.mjs';
import { newPaymentSettings, paymentEnv } from '../payment-settings.mjs';
import { startControlledNameServer } from './name-server.mjs';
import { startProviders } from './oidc.mjs';
import { startPaymentRelay } from './payment-relay.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'dist', 'src', 'main.js');
const PLATFORM_ADMIN_EMAIL = 'root@example.com';

/**
 * Starts the built service and waits until it listens.
 *
 * @param {{ limits?: boolean, clickHouse?: { url: string, user: string, password: string } }} options `limits`: with the
 *   rate limits of a deployment; without, no test reaches one. `clickHouse`: events are replicated there, and read from there
 * @param {(() => Promise<void>)[]} stops collects what has to be stopped at the end of the run
 * @returns the members of `RunningService` in `running-service.ts`
 */
export async function startSharedService({ limits = false, clickHouse }, stops) {
  const databaseUrl = await createDatabase(stops);
  const { env: oauthEnv, oauth, sso, servedAt } = await startProviders(stops);
  const dataDir = await makeDataFolder();
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const internalToken = randomBytes(24).toString('hex');
  const controlToken = randomBytes(24).toString('hex');
  const payments = newPaymentSettings();
  const relay = await startPaymentRelay(stops);
  const nameServer = await startControlledNameServer(stops);
  const logFile = join(dataDir, 'service.log');
  const server = await startTied({
    command: [process.execPath, MAIN],
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'test',
      PORT: '0',
      OPS_PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      // Suites that send many requests at once share the connections, and a request waits at most five seconds for one.
      DATABASE_POOL_SIZE: '30',
      INTERNAL_JOB_TOKEN: internalToken,
      TEST_CONTROL_TOKEN: controlToken,
      // Browsers may call the service from these pages.
      CORS_ORIGINS: 'https://app.example.com,https://console.example.com',
      // Receivers of the tests listen on the loopback.
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      SSO_DNS_SERVERS: nameServer.address,
      ...oauthEnv,
      ...paymentEnv(payments, relay.origin),
      ENABLE_BILLING_ADMIN: 'true',
      // The service compares addresses without regard to case.
      PLATFORM_ADMIN_EMAILS: `Other@Example.com, ${PLATFORM_ADMIN_EMAIL.toUpperCase()}`,
      UPGRADE_URL: 'https://app.example.com/upgrade',
      // Suites that use up a quota count the events of their projects.
      QUOTA_NOTICES: 'off',
      // Suites about storage quotas put their organizations on these plans. Other organizations have the limits of a
      // deployment.
      STORAGE_LIMITS: 'pro=1MB/2MB/512KB,scale=100MB/-/64MB',
      OBJECT_BODY_MAX_BYTES: '600000',
      // Suites about limits need no jobs.
      ...(limits ? { PROCESS_ROLE: 'api' } : { RATE_LIMIT_OVERRIDES: await noLimits() }),
      ...(clickHouse === undefined ? {} : readsFrom(clickHouse)),
    },
    logFile,
  });
  stops.push(() => server.stop());
  const url = await addressOf(server, logFile);
  servedAt(url);
  return {
    url,
    databaseUrl,
    dataDir,
    internalToken,
    controlToken,
    payments: { ...payments, control: relay.control },
    platformAdminEmail: PLATFORM_ADMIN_EMAIL,
    oauth,
    sso,
    nameServer: { control: nameServer.control },
  };
}

function readsFrom({ url, user, password }) {
  return {
    EVENT_STORE: 'clickhouse',
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: user,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_DATABASE: `test_${randomBytes(8).toString('hex')}`,
  };
}

async function noLimits() {
  const { RATE_LIMIT_POLICY_NAMES } = await import('../../../dist/src/config/index.js');
  return RATE_LIMIT_POLICY_NAMES.map((name) => `${name}=1000000/1000000`).join(',');
}

async function createDatabase(stops) {
  const name = `service_${process.pid}_${randomBytes(6).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name}`);
  stops.push(() => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(process.env.TEST_DATABASE_URL);
  url.pathname = `/${name}`;
  return url.toString();
}

async function asAdmin(statement) {
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

/** Resolves with the address when the service listens. */
async function addressOf(server, logFile) {
  const deadline = performance.now() + HANG_TIMEOUT_MS;
  for (;;) {
    const log = await readFile(logFile, 'utf8').catch(() => '');
    const url = /"url":"(http:[^"]+)"/.exec(log)?.[1];
    if (url !== undefined) return url;
    if (server.hasExited() || performance.now() > deadline)
      throw new Error(`the service did not start:\n${log.slice(-2_000)}`);
    await delay(20);
  }
}
