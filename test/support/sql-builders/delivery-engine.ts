import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { service } from '../running-service.js';
import { sql } from './sql.js';

/**
 * Creates attempts that are due, as matching rules do. Over HTTP a rule computes the fingerprint itself, and each
 * attempt needs a rule of its own. Workers find the attempts in their next round.
 * @returns their ids
 */
export async function dueAttempts(
  of: { projectId: string; channelId: string; fingerprint?: string; event?: object },
  count: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `INSERT INTO delivery_attempts (id, project_id, channel_id, kind, rule, event, fingerprint)
     SELECT gen_random_uuid(), $1, $2, 'rule_match', '{"name": "Payments fail"}', $3::jsonb, $4
     FROM generate_series(1, $5::int) RETURNING id`,
    [of.projectId, of.channelId, JSON.stringify(of.event ?? {}), of.fingerprint ?? null, count],
  );
  return rows.map(({ id }) => id);
}

/** Fails the attempts of a channel that no worker has claimed. Over HTTP that takes a request for each retry. */
export async function endWaitingAttempts(channelId: string): Promise<void> {
  await sql(
    `UPDATE delivery_attempts SET status = 'failed', retry_state = 'terminal', due_at = NULL
     WHERE channel_id = $1 AND claim_token IS NULL`,
    [channelId],
  );
}

/**
 * Runs the work while the scheduled retry of an attempt is due and no worker can claim it, because a transaction locks
 * the row. Afterwards the retry is due in an hour. Over HTTP a worker may claim a due retry at any moment.
 */
export async function holdingDueAttempt<T>(id: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    // The transaction has to lock the row before the retry becomes due.
    for (let isHeld = false; !isHeld;) {
      await client.query(
        `UPDATE delivery_attempts SET due_at = clock_timestamp() + interval '1 second'
         WHERE id = $1 AND retry_state = 'scheduled_retry' AND claim_token IS NULL`,
        [id],
      );
      await client.query('BEGIN');
      const { rows } = await client.query<{ isHeld: boolean | null }>(
        'SELECT due_at > clock_timestamp() AS "isHeld" FROM delivery_attempts WHERE id = $1 FOR UPDATE',
        [id],
      );
      const row = rows[0];
      if (row === undefined || row.isHeld === null) throw new Error(`no retry of the attempt ${id} is scheduled`);
      isHeld = row.isHeld;
      if (!isHeld) await client.query('ROLLBACK');
    }
    const result = await work();
    await client.query(
      `UPDATE delivery_attempts SET due_at = clock_timestamp() + interval '1 hour' WHERE id = $1 AND due_at IS NOT NULL`,
      [id],
    );
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

/**
 * Leaves an attempt with the claim of a dead worker whose lease has ended: in its first send, or in a retry. No route
 * kills a worker.
 */
export async function abandonClaim(
  id: string,
  { status, retryCount }: { status: 'pending' | 'failed'; retryCount: number },
): Promise<void> {
  await sql(
    `UPDATE delivery_attempts SET status = $2,
       retry_state = CASE $2::text WHEN 'pending' THEN 'pending' ELSE 'scheduled_retry' END, due_at = now(),
       claim_token = gen_random_uuid(), claim_owner = 'dead', claim_kind = 'worker',
       claim_expires_at = now() - interval '1 second', retry_count = $3 WHERE id = $1`,
    [id, status, retryCount],
  );
}

/** Ends the lease of the claim on an attempt. Over HTTP that takes two minutes. */
export async function expireClaim(id: string): Promise<void> {
  await sql(
    `UPDATE delivery_attempts SET claim_expires_at = now() - interval '1 second' WHERE id = $1 AND claim_token IS NOT NULL`,
    [id],
  );
}

/** Returns the claim on an attempt. No route shows claims. */
export async function claimOn(id: string): Promise<{ kind: string; leaseSeconds: number } | undefined> {
  const [row] = await sql<{ kind: string; leaseSeconds: number }>(
    `SELECT claim_kind AS kind, extract(epoch FROM claim_expires_at - now())::float8 AS "leaseSeconds"
     FROM delivery_attempts WHERE id = $1 AND claim_token IS NOT NULL`,
    [id],
  );
  return row;
}

/** Stores the URL of a channel without checking it. The routes refuse a URL to which the service must not send. */
export async function setChannelUrl(channelId: string, url: string): Promise<void> {
  await sql(
    `UPDATE delivery_channels SET configuration = jsonb_set(configuration, '{url}', to_jsonb($2::text)) WHERE id = $1`,
    [channelId, url],
  );
}

/** Stores the id of a rule evaluation in an attempt. Today's rules store none. @returns the id of the evaluation */
export async function nameEvaluation(attemptId: string): Promise<string> {
  const evaluationId = randomUUID();
  await sql('UPDATE delivery_attempts SET evaluation_id = $2 WHERE id = $1', [attemptId, evaluationId]);
  return evaluationId;
}

const EVIDENCE = [
  'delivery_attempts',
  'delivery_retry_audits',
  'delivery_recovery_audits',
  'delivery_channels',
  'delivery_protected_headers',
] as const;

/** Counts the rows of a project in the tables of deliveries. Every route returns 404 once the project is deleted. */
export async function deliveryRows(projectId: string): Promise<Readonly<Record<(typeof EVIDENCE)[number], number>>> {
  const counts = EVIDENCE.map((table) => `(SELECT count(*)::int FROM ${table} WHERE project_id = $1) AS ${table}`);
  const [rows] = await sql<Record<(typeof EVIDENCE)[number], number>>(`SELECT ${counts.join(', ')}`, [projectId]);
  return { ...rows! };
}

/**
 * Returns every row of every table that belongs to a project or names it, as text, for a test that searches for a
 * secret. Routes show only some columns.
 */
export async function rowsNaming(projectId: string): Promise<string> {
  const tables = await sql<{ name: string; hasProject: boolean }>(
    `SELECT c.oid::regclass::text AS name,
            EXISTS (SELECT 1 FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped) AS "hasProject"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
       AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name, hasProject } of tables) {
    const ofProject = hasProject ? 'project_id = $1' : `strpos(t::text, $1) > 0`;
    const rows = await sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t WHERE ${ofProject}`, [projectId]);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
