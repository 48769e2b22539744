// The built service on an embedded database of its own, with one account, project and key.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { announced, stopped } from './processes.mjs';

const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

/** The built service; with `databaseUrl` on that database, else on an embedded one of its own. */
export async function startService({ env = {}, databaseUrl, nodeArguments = [] } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(dataDir, 0o711);
  const child = spawn(process.execPath, [...nodeArguments, MAIN], {
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'info',
      DATA_DIR: dataDir,
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
    stop: async () => {
      await stopped(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The token of the verification mail, which is written after the answer. */
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

/** A verified account. @returns its access token */
export async function account({ url, dataDir }, email, password) {
  await post(url, '/v1/auth/register', { email, password });
  const token = await mailedToken(dataDir, email);
  await post(url, '/v1/auth/verify-email', { email, token });
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

/** An account with a project and a key, made over HTTP. */
export async function workspace({ url, dataDir }) {
  const email = 'bench@example.com';
  const password = 'bench-password-of-the-run';
  const bearer = await account({ url, dataDir }, email, password);
  const call = (path, body, headers) => post(url, path, body, headers);
  const headers = { Authorization: `Bearer ${bearer}` };
  const organization = await call('/v1/organizations', { name: 'Bench', slug: 'bench' }, headers);
  const project = await call(
    '/v1/projects',
    { organization_id: organization.id, name: 'Bench', slug: 'bench' },
    headers,
  );
  const { key } = await call('/v1/api-keys', { project_id: project.id, name: 'bench' }, headers);
  return { email, password, bearer, projectId: project.id, key };
}
