import { constants, type Stats } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import type { Config } from '../../../config/index.js';
import { ClickHouse, shortReason } from '../../../platform/clickhouse/index.js';
import { errorCode } from '../../../platform/errors/index.js';
import { newId } from '../../../platform/ids/index.js';
import { SmtpMailer } from '../../../platform/mail/index.js';
import { objectMarkerOf, objectStoreOf } from '../../../platform/storage/index.js';
import { type Logger, Metrics } from '../../../platform/telemetry/index.js';
import { checkClock } from './database.checks.js';
import { failed, ok, skipped, type Verdict, warning } from './finding.js';
import { reason } from './reason.js';

/** Time limit of one step of a backend, in milliseconds. */
const STEP_LIMIT_MS = 3_000;
const OLDEST_REDIS = [6, 2];
const OLDEST_CLICKHOUSE = [26, 7];
const LITTLE_SPACE_BYTES = 1024 ** 3;
const NO_SPACE_BYTES = 64 * 1024 ** 2;
const MOST_ANSWER_BYTES = 65_536;

/** Returns the configured Redis servers. `keepsData` is true for a server that stores jobs or events. */
export function redisServers({ redis, rateLimits, queue, ingestion }: Config): { url: string; keepsData: boolean }[] {
  const keepsData = queue.backend === 'redis' || ingestion.mode === 'queued';
  const limits = rateLimits.redisUrl === redis.url ? undefined : rateLimits.redisUrl;
  return [
    ...(redis.url === undefined ? [] : [{ url: redis.url, keepsData }]),
    ...(limits === undefined ? [] : [{ url: limits, keepsData: false }]),
  ];
}

export async function checkRedis(url: string, keepsData: boolean, { ingestion }: Config): Promise<Verdict[]> {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: STEP_LIMIT_MS,
    commandTimeout: STEP_LIMIT_MS,
  });
  // The error of the failing command does not contain the reason, so the reason is recorded here.
  let why: unknown;
  client.on('error', (error) => (why = error));
  try {
    await client.connect();
    const facts = factsIn(await client.info());
    const clock = await checkClock('Redis', async () => {
      const [seconds, microseconds] = await client.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    });
    const faults = redisFaults(facts, keepsData, ingestion.mode === 'queued');
    const answers = ok(`Redis ${facts.get('redis_version') ?? ''} answers.`);
    return [...(faults.length > 0 ? faults : [answers]), ...(clock.state === 'ok' ? [] : [clock])];
  } catch (error) {
    return [failed(`Redis does not answer (${reason(why ?? error)}).`, 'Check REDIS_URL and that the server runs.')];
  } finally {
    client.disconnect();
  }
}

function redisFaults(facts: ReadonlyMap<string, string>, keepsData: boolean, isQueued: boolean): Verdict[] {
  const version = facts.get('redis_version') ?? '0';
  const policy = facts.get('maxmemory_policy') ?? 'unknown';
  const faults: Verdict[] = [];
  if (isOlder(version, OLDEST_REDIS)) faults.push(failed(`Redis ${version} is too old.`, 'Use Redis 6.2 or newer.'));
  if (facts.get('role') === 'slave')
    faults.push(failed('This Redis is a replica, which cannot be written.', 'Set REDIS_URL to the primary server.'));
  if (keepsData && policy !== 'noeviction')
    faults.push(
      failed(
        `Redis has the eviction policy ${policy}, by which it drops jobs when its memory is full.`,
        'Set maxmemory-policy to noeviction.',
      ),
    );
  if (isQueued && facts.get('aof_enabled') !== '1')
    faults.push(
      failed(
        'Redis has appendonly off, so accepted events are lost when it restarts.',
        'Set appendonly to yes, or INGEST_MODE to batched.',
      ),
    );
  return faults;
}

export async function checkClickHouse({ eventStore }: Config): Promise<Verdict[]> {
  if (eventStore === undefined) return [skipped('ClickHouse is not configured.')];
  const server = await ClickHouse.open(eventStore);
  try {
    const bounds = { milliseconds: STEP_LIMIT_MS };
    const [row] = await server.read<{ version: string; exists: boolean }>(
      'SELECT version() AS version, (SELECT count() > 0 FROM system.databases WHERE name = {database: String})::Bool AS exists',
      { database: eventStore.database },
      bounds,
    );
    const version = row?.version ?? '0';
    if (isOlder(version, OLDEST_CLICKHOUSE))
      return [failed(`ClickHouse ${version} is too old.`, 'Use ClickHouse 26.7 or newer.')];
    if (row?.exists !== true)
      return [
        warning(
          `ClickHouse ${version} has no database of the name in CLICKHOUSE_DATABASE.`,
          'Start the service, which creates it.',
        ),
      ];
    return [ok(`ClickHouse ${version} answers.`)];
  } catch (error) {
    const advice = 'Check CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, and that the server runs.';
    return [failed(`ClickHouse does not answer (${shortReason(error)}).`, advice)];
  } finally {
    await server.close();
  }
}

export async function checkMail({ mail: { smtpUrl, from } }: Config): Promise<Verdict[]> {
  if (smtpUrl === undefined) return [ok('Mails are stored in the folder outbox of DATA_DIR and not sent.')];
  const mailer = new SmtpMailer({ url: smtpUrl, from, timeoutMs: STEP_LIMIT_MS });
  try {
    const fault = await mailer.check();
    if (fault === null) return [ok('The mail server takes a connection and the credentials.')];
    return [failed(`The mail server does not work: ${fault}.`, 'Check SMTP_URL and that the server runs.')];
  } finally {
    await mailer.close();
  }
}

export function checkObjects(config: Config, logger: Logger): Promise<Verdict[]> {
  return config.storage.s3 === undefined ? checkObjectFolder(config, logger) : checkBucket(config, logger);
}

/** Writes and removes a small file. Does not create the store, which must belong to the user of the service. */
async function checkObjectFolder(config: Config, logger: Logger): Promise<Verdict[]> {
  const where = 'The folder of objects in DATA_DIR';
  const store = await objectStoreOf(config, new Metrics(), logger);
  try {
    const marker = await statOrNull(objectMarkerOf(config.dataDir.path));
    if (marker === null) return [skipped(`${where} does not exist yet. The service creates it.`)];
    if (isForeignToRoot(marker)) return [foreignToRoot(where, marker)];
    await store.health();
    return [ok(`${where} can be written.`)];
  } catch (error) {
    const advice = 'Give the user of the service the right to write in DATA_DIR, and make room on its disk.';
    return [failed(`${where} cannot be used (${reason(error)}).`, advice)];
  } finally {
    await store.close();
  }
}

/** Stores a small object, reads it and removes it. */
async function checkBucket(config: Config, logger: Logger): Promise<Verdict[]> {
  const bytes = Buffer.from('probe of the doctor');
  const id = newId();
  const signal = AbortSignal.timeout(STEP_LIMIT_MS);
  const store = await objectStoreOf(config, new Metrics(), logger);
  try {
    try {
      await store.put(id, content(bytes), bytes.length, signal);
      const read = await text(await store.open(id, null, signal));
      if (read !== bytes.toString()) throw new Error('an object was read with other bytes than were stored');
    } finally {
      await store.remove(id, null);
    }
    return [ok('The bucket takes, returns and removes objects.')];
  } catch (error) {
    const advice =
      'Check S3_ENDPOINT, S3_REGION, S3_BUCKET and the keys, and the rights to put, get and delete objects.';
    return [failed(`The bucket cannot be used (${reason(error)}).`, advice)];
  } finally {
    await store.close();
  }
}

async function* content(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Checks the permissions and the free space of the data folder. Creates nothing, even when the folder does not exist.
 */
export async function checkDataFolder({ dataDir: { path } }: Config): Promise<Verdict[]> {
  const rights = 'Give the folder to the user of the service, or set DATA_DIR to another one.';
  const verdicts: Verdict[] = [];
  try {
    const folder = await statOrNull(path);
    if (folder === null)
      return [
        warning(
          `The data folder ${path} does not exist yet.`,
          'Start the service, which creates it. If the service has run before, set DATA_DIR as for the service.',
        ),
      ];
    if (isForeignToRoot(folder)) verdicts.push(foreignToRoot(`The data folder ${path}`, folder));
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [failed(`The data folder ${path} cannot be written (${reason(error)}).`, rights)];
  }
  const { bavail, bsize } = await statfs(path);
  const room = `${Math.floor((bavail * bsize) / 1024 ** 2)} MiB are free on the disk of the data folder.`;
  const advice = 'Make room on the disk.';
  if (bavail * bsize < NO_SPACE_BYTES) verdicts.push(failed(room, advice));
  else if (bavail * bsize < LITTLE_SPACE_BYTES) verdicts.push(warning(room, advice));
  const open = await readableByOthers(join(path, 'secrets'));
  if (open.length > 0)
    verdicts.push(
      failed(
        `Other users of this machine may read ${open.join(', ')} in the folder secrets of the data folder.`,
        'Set the mode 700 on the folder and 600 on its files, and replace the keys.',
      ),
    );
  return verdicts.length > 0 ? verdicts : [ok(`The data folder ${path} can be written. ${room}`)];
}

/** Returns the files that other users than their owner may read. */
async function readableByOthers(folder: string): Promise<string[]> {
  const outer = await statOrNull(folder);
  if (outer === null || (outer.mode & 0o007) === 0) return [];
  const open: string[] = [];
  for (const name of await readdir(folder)) {
    const { mode } = await stat(join(folder, name));
    if ((mode & 0o004) !== 0) open.push(name);
  }
  return open;
}

async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
}

/**
 * Returns whether the process runs as root and another user owns the folder. Root may write everywhere, so it cannot
 * test the permissions of that user.
 */
function isForeignToRoot({ uid }: Stats): boolean {
  return process.getuid?.() === 0 && uid !== 0;
}

function foreignToRoot(where: string, { uid }: Stats): Verdict {
  return warning(
    `${where} belongs to the user ${uid}, and root may write everywhere, so the rights were not checked.`,
    'Run the doctor as the user of the service.',
  );
}

/** Requests the readiness of a service process on this machine. */
export async function checkOperationsPort({ operations: { host, port } }: Config): Promise<Verdict[]> {
  if (port === 0) return [skipped('The operations port is turned off (OPS_PORT=0).')];
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const body = JSON.parse(await answerOf(address, port)) as { ready?: boolean; checks?: Record<string, boolean> };
    if (body.ready === true) return [ok(`A process answers on the operations port ${port} and is ready.`)];
    const lacking = Object.entries(body.checks ?? {}).flatMap(([name, holds]) => (holds ? [] : name));
    return [
      failed(
        `The process on the operations port ${port} is not ready${lacking.length > 0 ? ` (${lacking.join(', ')})` : ''}.`,
        'Look at the other findings and at the log of the process.',
      ),
    ];
  } catch (error) {
    return [
      warning(
        `No process of the service answers on the operations port ${port} (${reason(error)}).`,
        'Start the service. Ignore this where it runs on another machine or another OPS_PORT.',
      ),
    ];
  }
}

function answerOf(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path: '/ready', signal: AbortSignal.timeout(STEP_LIMIT_MS) }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
        if (body.length > MOST_ANSWER_BYTES) request.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve(body)).on('error', reject);
    });
    request.on('error', reject);
  });
}

function factsIn(info: string): Map<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}

function isOlder(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [own = 0, ownMinor = 0] = version.split('.').map(Number);
  return own < major || (own === major && ownMinor < minor);
}
