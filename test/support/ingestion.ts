import { Agent, request } from 'node:http';
import { expect } from '@jest/globals';
import { Redis } from 'ioredis';
import type { TestApp } from './app.js';
import { testRedisUrl } from './redis.js';
import { eventually } from './service-process.js';

export const INGEST_MODES = ['direct', 'batched', 'queued'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

/** What a mode needs; in `queued` a Redis that nobody else uses meanwhile. */
export function modeEnv(mode: IngestMode, redisUrl = testRedisUrl()): Record<string, string> {
  if (mode !== 'queued') return { INGEST_MODE: mode };
  return { INGEST_MODE: mode, REDIS_URL: redisUrl, QUEUE_BACKEND: 'postgres', RATE_LIMIT_BACKEND: 'memory' };
}

export async function emptyRedis(redisUrl = testRedisUrl()): Promise<void> {
  await withRedis(redisUrl, (redis) => redis.flushdb());
}

/** Resolves when everything that was accepted is stored: at once, but in `queued`. */
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

/** Sends over kept connections, as many at a time as there are calls. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly url: string) {}

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
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
            resolve({
              status,
              headers: received,
              body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  ingest(apiKey: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
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

/** How many answers had which status. */
export function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Every counter beside the way it is got from the rows; each pair must be equal. */
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
  latency_hours: [
    `SELECT project_id, hour, bucket::int, events::int AS n FROM latency_hours`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour,
            CASE WHEN log_latency_ms < 1 THEN 0 ELSE ceil(ln(log_latency_ms::float8) / ln(1.02::float8)) END::int AS bucket,
            count(*)::int AS n FROM events WHERE log_has_latency GROUP BY 1, 2, 3`,
  ],
};

/** Compares all counters of the database with what its rows give. */
export async function expectTrueCounters(app: Pick<TestApp, 'rows'>): Promise<void> {
  for (const [name, [counted, real]] of Object.entries(COUNTERS)) {
    const text = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect([name, ...text(await app.rows(counted))]).toEqual([name, ...text(await app.rows(real))]);
  }
}
