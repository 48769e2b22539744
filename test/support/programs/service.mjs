// The built service that all black-box suites share: one for the whole run, on a database of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));

/**
 * Starts the built service and waits until it listens.
 *
 * @param {{ limits: boolean }} options `limits`: with the rate limits of a deployment; without, no test reaches one
 * @param {(() => Promise<void>)[]} stops collects what has to be stopped at the end of the run
 * @returns {Promise<{ url: string, databaseUrl: string, dataDir: string, internalToken: string }>}
 */
export async function startSharedService({ limits }, stops) {
  const databaseUrl = await createDatabase(stops);
  const dataDir = await mkdtemp(join(tmpdir(), `oes-tests-${process.pid}-`));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const internalToken = randomBytes(24).toString('hex');
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'test',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      // Suites that send many requests at once share them, and a request waits five seconds for a connection at most.
      DATABASE_POOL_SIZE: '30',
      INTERNAL_JOB_TOKEN: internalToken,
      // A browser may call from these pages.
      CORS_ORIGINS: 'https://app.example.com,https://console.example.com',
      // Receivers of the tests listen on the loopback.
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      ...(limits ? {} : { RATE_LIMIT_OVERRIDES: await noLimits() }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(() => stopped(child));
  return { url: await listening(child, join(dataDir, 'service.log')), databaseUrl, dataDir, internalToken };
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

/** Resolves with the address. Every line of the log goes to a file, which a failed run keeps nothing of. */
async function listening(child, logFile) {
  const log = createWriteStream(logFile);
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      log.write(`${line}\n`);
      const url = /"message":"listening".*"url":"(http:[^"]+)"|"url":"(http:[^"]+)".*"message":"listening"/.exec(line);
      if (url !== null) resolve(url[1] ?? url[2]);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the service ended (${signal ?? code}): see ${logFile}`)));
  });
}

async function stopped(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
