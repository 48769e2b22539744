import pg from 'pg';
import { eventually } from '../eventually.js';
import { service } from '../running-service.js';
import { asText, sql } from './sql.js';

/** Reads the stored rows of the API keys of a project, as text. Routes do not show the hash of a key. */
export async function storedApiKeys(projectId: string): Promise<string> {
  return asText(await sql<object>('SELECT * FROM api_keys WHERE project_id = $1', [projectId]));
}

/** Makes a key expire this many seconds ago. Over HTTP the end of a key must be in the future. */
export async function expireKey(id: string, secondsAgo: number): Promise<void> {
  await sql('UPDATE api_keys SET expires_at = now() - make_interval(secs => $2) WHERE id = $1', [id, secondsAgo]);
}

/**
 * Returns the rows of the keys of some projects without the time of their last use, which is written after the answer.
 * Routes do not show all columns.
 */
export async function keyRows(...projectIds: readonly string[]): Promise<object[]> {
  const rows = await sql<{ key: object }>(
    `SELECT to_jsonb(k) - 'last_used_at' AS key FROM api_keys k WHERE project_id = ANY ($1::uuid[]) ORDER BY id`,
    [projectIds],
  );
  return rows.map(({ key }) => key);
}

/** Counts one event of a source on a day. Over HTTP the service counts an event on the day it arrives. */
export async function sourceDay(of: {
  projectId: string;
  sourceId: string;
  day: string;
  lastEventAt: string;
}): Promise<void> {
  await sql('INSERT INTO source_days (project_id, source_id, day, events, last_event_at) VALUES ($1, $2, $3, 1, $4)', [
    of.projectId,
    of.sourceId,
    of.day,
    of.lastEventAt,
  ]);
}

/**
 * Records seven refusals of a key in an hour, the last five minutes after the hour begins. Over HTTP the hour is the
 * current one.
 */
export async function ingestionFailure(of: {
  projectId: string;
  sourceId: string;
  keyId: string;
  hour: string;
  reason: string;
}): Promise<void> {
  await sql(
    `INSERT INTO ingestion_failures
       (api_key_id, hour, reason_code, status_code, project_id, source_id, occurred_at, request_id, count)
     VALUES ($1, $4::timestamptz, $5, 403, $2, $3, $4::timestamptz + interval '5 minutes', 'r-' || $5, 7)`,
    [of.keyId, of.projectId, of.sourceId, of.hour, of.reason],
  );
}

/** Returns the account that a source names as its creator. No route shows it. */
export async function creatorOfSource(id: string): Promise<string | null | undefined> {
  const [row] = await sql<{ created_by: string | null }>('SELECT created_by FROM event_sources WHERE id = $1', [id]);
  return row?.created_by;
}

/**
 * Deletes the row of a project at once. Over HTTP the row remains until a maintenance round some time after the
 * deletion.
 */
export async function deleteProjectRow(id: string): Promise<void> {
  await sql('DELETE FROM projects WHERE id = $1', [id]);
}

/** Moves the deletion of a project two minutes back. Maintenance removes its rows one minute after the deletion. */
export async function backdateProjectDeletion(id: string): Promise<void> {
  await sql(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE id = $1`, [id]);
}

/** Counts the rows of a project in a table. Routes find nothing of a deleted project. */
export async function rowsOfProject(
  table:
    'api_keys' | 'delivery_channels' | 'event_sources' | 'project_secrets' | 'projects' | 'protected_header_secrets',
  projectId: string,
): Promise<number> {
  const column = table === 'projects' ? 'id' : 'project_id';
  return (await sql(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [projectId])).length;
}

/** Creates many secrets, which nothing can decrypt. Over HTTP each is a request. */
export async function fillSecrets(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO project_secrets (id, project_id, name, value, version)
     SELECT gen_random_uuid(), $1, 'OLD_' || n, 'envelope', 1 FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Returns the encrypted value of a secret. No route shows it. */
export async function secretValue(id: string): Promise<string> {
  const [row] = await sql<{ value: string }>('SELECT value FROM project_secrets WHERE id = $1', [id]);
  if (row === undefined) throw new Error(`there is no secret ${id}`);
  return row.value;
}

/** Overwrites the encrypted value of a secret, as an attacker with access to the database but without keys could. */
export async function setSecretValue(id: string, value: string): Promise<void> {
  await sql('UPDATE project_secrets SET value = $2 WHERE id = $1', [id, value]);
}

/** Moves the last use of a secret 61 seconds back. The service records a use once a minute. */
export async function backdateSecretUse(id: string): Promise<void> {
  await sql(`UPDATE project_secrets SET last_used_at = now() - interval '61 seconds' WHERE id = $1`, [id]);
}

/** Deletes the row of a secret. The route first checks for headers that use the secret. */
export async function deleteSecretRow(id: string): Promise<void> {
  await sql('DELETE FROM project_secrets WHERE id = $1', [id]);
}

/** A transaction that locks a secret, like that of a header that begins to use the secret. */
export interface SecretHold {
  /** Waits until a deletion waits for the transaction. */
  waitedFor(): Promise<void>;
  /** Makes the protected headers of a channel use the secret. */
  nameInHeadersOf(channelId: string): Promise<void>;
  commit(): Promise<void>;
}

/** Locks a secret while the work runs. A route ends its transaction before anything else can happen. */
export async function holdingSecret(id: string, work: (hold: SecretHold) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pg_backend_pid() AS pid FROM project_secrets WHERE id = $1 FOR KEY SHARE',
      [id],
    );
    await work({
      waitedFor: () => deletionWaitsFor(rows[0]?.pid),
      nameInHeadersOf: async (channelId) => {
        await client.query(
          `INSERT INTO protected_header_secrets (project_id, header_id, secret_id)
           SELECT project_id, id, $2 FROM delivery_protected_headers WHERE channel_id = $1`,
          [channelId, id],
        );
      },
      commit: async () => {
        await client.query('COMMIT');
      },
    });
  } finally {
    await client.end();
  }
}

async function deletionWaitsFor(holder: number | undefined): Promise<void> {
  await eventually(
    () =>
      sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND position('FOR UPDATE' IN query) > 0 AND $1::int = ANY (pg_blocking_pids(pid))`,
        [holder],
      ),
    (found) => found.length > 0,
    () => 'no deletion waits for the secret',
  );
}

/** Reads the stored row of the webhooks of a source, as text; empty when there is none. Routes do not show the secret. */
export async function storedHook(sourceId: string): Promise<string> {
  const [row] = await sql<{ row: object }>('SELECT to_jsonb(h) AS row FROM source_hooks h WHERE id = $1', [sourceId]);
  return row === undefined ? '' : JSON.stringify(row.row);
}
