// Starts the built service on its own embedded database or a given one, and creates accounts, projects and keys over
// HTTP.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RATE_LIMIT_POLICY_NAMES } from '../dist/src/config/index.js';
import { announced, stopped } from './processes.mjs';

/** Rate limits are checked, and no bench reaches them. */
const HIGH_LIMITS = RATE_LIMIT_POLICY_NAMES.map((name) => `${name}=100000000/100000000`).join(',');

/** The token with which benches read the metrics. */
const INTERNAL_JOB_TOKEN = 'internal-job-token-of-the-bench';

const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

/**
 * Starts the built service, on `databaseUrl` or else on its own embedded database. A given `dataDir` is not deleted at
 * the end, so that another start can use it again. `main` is the program of another build.
 */
export async function startService({
  env = {},
  databaseUrl,
  node = process.execPath,
  nodeArguments = [],
  dataDir: given,
  main = MAIN,
} = {}) {
  const dataDir = given ?? (await newDataDir());
  const child = spawn(node, [...nodeArguments, main], {
    env: {
      ...process.env,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'info',
      RATE_LIMIT_OVERRIDES: HIGH_LIMITS,
      DATA_DIR: dataDir,
      INTERNAL_JOB_TOKEN,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await announced(child, /"url":"(http:[^"]+)"/);
  return {
    url,
    dataDir,
    pid: child.pid,
    /** Returns the signal or the exit code with which the service ended, or null while it runs. */
    ended: () => child.signalCode ?? child.exitCode,
    kill: () => child.kill('SIGKILL'),
    stop: async () => {
      await stopped(child);
      if (given === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the metrics of a service. They may be a second old. */
export async function metricsOf({ url }) {
  const answer = await fetch(`${url}/metrics`, { headers: { 'X-Internal-Token': INTERNAL_JOB_TOKEN } });
  return answer.text();
}

export async function newDataDir() {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(dataDir, 0o711);
  return dataDir;
}

/** Waits for the verification mail, which is written after the answer. @returns its token */
async function mailedToken(dataDir, email) {
  const folder = join(dataDir, 'outbox');
  for (let tries = 0; tries < 200; tries += 1) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.eml')) continue;
      const mail = await readFile(join(folder, name), 'utf8');
      if (mail.includes(`To: ${email}`)) return /token=([\w-]+)/.exec(mail)[1];
    }
    await pause(25);
  }
  throw new Error(`no mail for ${email}`);
}

/** Creates a verified account. @returns its access token */
export async function account({ url, dataDir }, email, password) {
  await post(url, '/v1/auth/register', { email, password });
  const token = await mailedToken(dataDir, email);
  await post(url, '/v1/auth/verify-email', { email, token });
  return signedIn({ url }, email, password);
}

/** Signs in to an existing account. @returns an access token */
export async function signedIn({ url }, email, password) {
  const form = new URLSearchParams({ username: email, password });
  return (await post(url, '/v1/auth/login', form)).access_token;
}

async function post(url, path, body, headers = {}) {
  const form = body instanceof URLSearchParams;
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...(form ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: form ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Creates an account with an organization, a project and a key over HTTP. */
export async function workspace({ url, dataDir }) {
  const email = 'bench@example.com';
  const password = 'bench-password-of-the-run';
  const bearer = await account({ url, dataDir }, email, password);
  const call = (path, body, headers) => post(url, path, body, headers);
  const headers = { Authorization: `Bearer ${bearer}` };
  const organization = await call('/v1/organizations', { name: 'Bench', slug: 'bench' }, headers);
  const projectId = await projectOf({ url }, bearer, organization.id, 'bench');
  const { key } = await call('/v1/api-keys', { project_id: projectId, name: 'bench' }, headers);
  return { email, password, bearer, organizationId: organization.id, projectId, key };
}

/** Creates a project. @returns its id */
export async function projectOf({ url }, bearer, organizationId, slug) {
  const body = { organization_id: organizationId, name: slug, slug };
  return (await post(url, '/v1/projects', body, { Authorization: `Bearer ${bearer}` })).id;
}
