import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cleanEnvironment, identityOf, runScript, spawnRefused } from './account.js';
import type { Binaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { startTied } from './tied-process.js';
import { errorCode } from '../platform/errors/index.js';

/** An existing cluster: PostgreSQL's own data folder and the password of both roles. */
export interface Cluster {
  readonly data: string;
  readonly password: string;
}

/** The role that the service connects as. It owns only the service's database. */
export const SERVICE_ROLE = 'oes';
export const SERVICE_DATABASE = 'oes';
export const SUPERUSER = 'postgres';

/** Opens the cluster in `<home>/cluster` and creates it at the first start. The caller holds the folder's lock. */
export async function openCluster(folder: DataFolder, binaries: Binaries, durable: boolean): Promise<Cluster> {
  const cluster = join(folder.home, 'cluster');
  const data = join(cluster, 'data');
  await removeDrafts(folder.home);
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (version === null) await createCluster(folder, binaries, cluster, durable);
  else if (Number.parseInt(version, 10) !== binaries.majorVersion) {
    throw new EmbeddedDatabaseError(
      `The database in "${data}" was made by PostgreSQL ${version.trim()} and the installed one is ${binaries.majorVersion}: move its data with that version's pg_dump, or set DATA_DIR to another folder.`,
    );
  }
  return { data, password: (await readFile(join(cluster, 'password'), 'utf8')).trim() };
}

/**
 * Creates the cluster under another name and renames it when it is complete, so that a killed first start leaves no
 * partial cluster.
 */
async function createCluster(folder: DataFolder, binaries: Binaries, cluster: string, durable: boolean): Promise<void> {
  const { home, account } = folder;
  const draft = join(home, `cluster-draft-${randomUUID()}`);
  const prepared = await runScript(account, 'umask 077 && mkdir "$1" && cat >"$1/password"', [draft], {
    cwd: home,
    input: `${randomBytes(24).toString('base64url')}\n`,
  });
  if (prepared.code !== 0) throw initFailed(prepared.stderr);

  const initdb = await startTied({
    command: [
      binaries.initdb,
      `--pgdata=${join(draft, 'data')}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${join(draft, 'password')}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    cwd: home,
    env: cleanEnvironment(home),
    logFile: join(draft, 'initdb.log'),
    identity: identityOf(account),
  }).catch((error: unknown) => {
    throw spawnRefused(account, error);
  });
  if ((await initdb.wait()) !== 0) {
    throw initFailed(await readFile(join(draft, 'initdb.log'), 'utf8').catch(() => ''));
  }
  await rename(draft, cluster);
}

/** Removes drafts that killed first starts and interrupted copies have left. An initdb may still be ending in one. */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!/^(cluster|programs)-draft-/.test(name)) continue;
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function initFailed(output: string): EmbeddedDatabaseError {
  const lines = output.trim().split('\n');
  const reason = lines.find((line) => /error|fatal|could not/i.test(line)) ?? lines.at(-1) ?? '';
  return new EmbeddedDatabaseError(
    `The embedded database could not be made (${reason.trim() || 'initdb gave no reason'}): make room or permission in the data folder, or ${OWN_SERVER_HINT}.`,
  );
}

export function clusterUrl(cluster: Cluster, port: number, role: string, database: string): string {
  return `postgresql://${role}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

/**
 * Creates the service's role and database where they are missing. The role is no superuser, so that the service has the
 * same rights as on an operator's own server.
 */
export async function ensureServiceDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = new pg.Client({
    connectionString: clusterUrl(cluster, port, SUPERUSER, 'postgres'),
    connectionTimeoutMillis: 30_000,
  });
  await client.connect();
  try {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [SERVICE_ROLE]);
    if (roles.rowCount === 0) {
      await client.query(`CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD ${client.escapeLiteral(cluster.password)}`);
    }
    const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [SERVICE_DATABASE]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${SERVICE_DATABASE} OWNER ${SERVICE_ROLE}`);
  } finally {
    await client.end();
  }
}
