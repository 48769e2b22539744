import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { expect } from '@jest/globals';
import { Redis } from 'ioredis';
import { generateKey } from '../../src/platform/crypto/index.js';
import { newId } from '../../src/platform/ids/index.js';
import type { TestApp } from './app.js';
import { hasRedis, testRedisUrl } from './redis.js';
import { eventually } from './service-process.js';

export type IngestMode = 'direct' | 'batched' | 'queued';
/** `queued` needs Redis. */
export const INGEST_MODES: readonly IngestMode[] = hasRedis ? ['direct', 'batched', 'queued'] : ['direct', 'batched'];

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
  /** The received body. */
  readonly text: string;
}

/** Returns the environment of a mode. `queued` needs a Redis that nobody else uses at the same time. */
export function modeEnv(mode: IngestMode, redisUrl = testRedisUrl()): Record<string, string> {
  if (mode !== 'queued') return { INGEST_MODE: mode };
  return { INGEST_MODE: mode, REDIS_URL: redisUrl, QUEUE_BACKEND: 'postgres', RATE_LIMIT_BACKEND: 'memory' };
}

export async function emptyRedis(redisUrl = testRedisUrl()): Promise<void> {
  await withRedis(redisUrl, (redis) => redis.flushdb());
}

/** Resolves when every accepted event is stored. Only `queued` has to wait. */
export async function settled(mode: IngestMode, redisUrl = testRedisUrl()): Promise<void> {
  if (mode !== 'queued') return;
  await withRedis(redisUrl, (redis) =>
    eventually(
      () => redis.xlen('{ingest}:requests'),
      (length) => length === 0,
    ),
  );
}

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** Sends requests over persistent connections. Concurrent calls run in parallel. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly url: string) {}

  post(path: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        this.url + path,
        {
          method: 'POST',
          agent: this.agent,
          headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode: status = 0, headers: received } = response;
            const answered = Buffer.concat(chunks).toString();
            resolve({
              status,
              headers: received,
              body: JSON.parse(answered) as Answer['body'],
              text: answered,
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  ingest(apiKey: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.post('/v1/events/ingest', body, { 'X-API-Key': apiKey, ...headers });
  }

  lines(apiKey: string, lines: readonly unknown[], headers: Record<string, string> = {}): Promise<Answer> {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return this.ingest(apiKey, text, { 'Content-Type': 'application/x-ndjson', ...headers });
  }

  close(): void {
    this.agent.destroy();
  }
}

export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sourceId: string | null;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

/**
 * Creates an organization with a project and a key directly in the database, for tests that need no signed-in owner.
 * `of` creates another project in the same organization, or with `source` another Event Source.
 */
export async function tenant(
  app: Pick<TestApp, 'rows'>,
  { plan = 'free', of, source = false }: { plan?: string; of?: Tenant; source?: boolean } = {},
): Promise<Tenant> {
  const [organizationId, projectId] = [of?.organizationId ?? newId(), newId()];
  const [userId, sourceId, apiKeyId] = [newId(), source ? newId() : null, newId()];
  const { key, prefix, hash } = generateKey('oes');
  await app.rows(
    `WITH owner AS (
       INSERT INTO users (id, email, email_key) VALUES ($1, $1::uuid::text, $1::uuid::text) RETURNING id),
     organization AS (
       INSERT INTO organizations (id, name, slug, owner_id, plan)
       SELECT $2, 'Acme', $2::uuid::text, id, $3 FROM owner ON CONFLICT DO NOTHING)
     INSERT INTO projects (id, organization_id, name, slug, owner_id)
     SELECT $4, $2, 'Shop', $4::uuid::text, id FROM owner`,
    [userId, organizationId, plan, projectId],
  );
  if (sourceId !== null) {
    await app.rows(`INSERT INTO event_sources (id, project_id, name, type) VALUES ($1, $2, 'Web', 'http')`, [
      sourceId,
      projectId,
    ]);
  }
  await app.rows(
    `INSERT INTO api_keys (id, project_id, source_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, $3, 'Test', $4, $5, '{events:read,events:write}')`,
    [apiKeyId, projectId, sourceId, prefix, hash],
  );
  return { organizationId, projectId, sourceId, apiKey: key, apiKeyId };
}

/** Counts the answers by status. */
export function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Every counter with a query that computes it from the rows. Both must be equal. */
const COUNTERS: Record<string, readonly [counted: string, real: string]> = {
  usage_daily: [
    `SELECT day::text, project_id, api_key_id, events_ingested::int AS n FROM usage_daily WHERE events_ingested > 0`,
    `SELECT (created_at AT TIME ZONE 'UTC')::date::text AS day, project_id, api_key_id, count(*)::int AS n
     FROM events GROUP BY 1, 2, 3`,
  ],
  organization_months: [
    `SELECT organization_id, month::text, events::int AS n FROM organization_months WHERE events > 0`,
    `SELECT p.organization_id, date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date::text AS month,
            count(*)::int AS n FROM events e JOIN projects p ON p.id = e.project_id GROUP BY 1, 2`,
  ],
  source_days: [
    `SELECT project_id, source_id, day::text, events::int AS n FROM source_days`,
    `SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int AS n
     FROM events GROUP BY 1, 2, 3`,
  ],
  event_hours: [
    `SELECT project_id, hour, events::int AS n, errors::int AS errors FROM event_hours`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, count(*)::int AS n,
            count(*) FILTER (WHERE log_status >= 500)::int AS errors FROM events GROUP BY 1, 2`,
  ],
  event_facet_hours: [
    `SELECT project_id, hour, event, source_id, severity, status, environment, events::int AS n, errors::int AS errors
     FROM event_facet_hours`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, event, source_id, severity, status, environment,
            count(*)::int AS n, count(*) FILTER (WHERE log_status >= 500)::int AS errors
     FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
  event_facet_days: [
    `SELECT project_id, day, event, source_id, severity, status, environment, events::int AS n, errors::int AS errors
     FROM event_facet_days`,
    `SELECT project_id, date_trunc('day', "timestamp", 'UTC') AS day, event, source_id, severity, status, environment,
            count(*)::int AS n, count(*) FILTER (WHERE log_status >= 500)::int AS errors
     FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
  latency_hours: [
    `SELECT project_id, hour, bucket::int, events::int AS n FROM latency_hours`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour,
            CASE WHEN log_latency_ms < 1 THEN 0 ELSE ceil(ln(log_latency_ms::float8) / ln(1.02::float8)) END::int AS bucket,
            count(*)::int AS n FROM events WHERE log_has_latency GROUP BY 1, 2, 3`,
  ],
};

/** Compares all counters of the database with the counts of its rows. */
export async function expectTrueCounters(app: Pick<TestApp, 'rows'>): Promise<void> {
  for (const [name, [counted, real]] of Object.entries(COUNTERS)) {
    const text = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect([name, ...text(await app.rows(counted))]).toEqual([name, ...text(await app.rows(real))]);
  }
}
