// Neighbour (d): the work of an ingest request on the service's own tables, one query after the other: key, allowances,
// idempotency, event, meters and rollups, in one transaction a request.
import { createHash, randomUUID } from 'node:crypto';
import express from 'express';
import { announce, makePool } from './settings.mjs';

const pool = makePool();
const named = (name, text) => (client, values) => client.query({ name, text, values });

const findKey = named(
  'key',
  `SELECT k.id, k.project_id, k.source_id, k.scopes, k.revoked_at, k.expires_at, p.organization_id, p.archived_at
   FROM api_keys k JOIN projects p ON p.id = k.project_id WHERE k.key_hash = $1 AND p.deleted_at IS NULL`,
);
const reserve = named(
  'reserve',
  `INSERT INTO idempotency_records (api_key_id, key, request_hash, answer) VALUES ($1, $2, $3, '{}')
   ON CONFLICT DO NOTHING`,
);
const readAllowance = named(
  'allowance',
  `SELECT o.plan, o.billing_status, o.events_per_month_limit, coalesce(m.events, 0) AS used
   FROM organizations o LEFT JOIN organization_months m
     ON m.organization_id = o.id AND m.month = date_trunc('month', now())::date
   WHERE o.id = $1`,
);
const countMonth = named(
  'month',
  `INSERT INTO organization_months AS m (organization_id, month, events) VALUES ($1, date_trunc('month', now())::date, 1)
   ON CONFLICT ON CONSTRAINT pk_organization_months DO UPDATE SET events = m.events + 1 RETURNING events`,
);
const countDay = named(
  'day',
  `INSERT INTO source_days AS s (project_id, source_id, day, events, last_event_at)
   VALUES ($1, $2, current_date, 1, now())
   ON CONFLICT ON CONSTRAINT uq_source_days_identity
   DO UPDATE SET events = s.events + 1, last_event_at = now() RETURNING events`,
);
const insert = named(
  'insert',
  `INSERT INTO events (project_id, "timestamp", id, source_id, api_key_id, event, source, severity, environment, message,
     properties, log_method, log_endpoint, log_status, log_latency_ms, log_has_latency, created_at)
   VALUES ($1, now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, true, now())`,
);
const meter = named(
  'meter',
  `INSERT INTO usage_daily AS u (day, project_id, api_key_id, events_ingested, requests) VALUES (current_date, $1, $2, 1, 1)
   ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
   DO UPDATE SET events_ingested = u.events_ingested + 1, requests = u.requests + 1, updated_at = now()`,
);
const countHour = named(
  'hour',
  `INSERT INTO event_hours AS h (project_id, hour, events, errors) VALUES ($1, date_trunc('hour', now()), 1, 0)
   ON CONFLICT ON CONSTRAINT pk_event_hours DO UPDATE SET events = h.events + 1`,
);
const countFacets = named(
  'facets',
  `INSERT INTO event_facet_hours AS f (project_id, hour, event, source_id, severity, status, environment, events, errors)
   VALUES ($1, date_trunc('hour', now()), $2, $3, $4, NULL, $5, 1, 0)
   ON CONFLICT ON CONSTRAINT uq_event_facet_hours_identity DO UPDATE SET events = f.events + 1`,
);
const countFacetsOfDay = named(
  'facets_of_day',
  `INSERT INTO event_facet_days AS f (project_id, day, event, source_id, severity, status, environment, events, errors)
   VALUES ($1, date_trunc('day', now(), 'UTC'), $2, $3, $4, NULL, $5, 1, 0)
   ON CONFLICT ON CONSTRAINT uq_event_facet_days_identity DO UPDATE SET events = f.events + 1`,
);
const countLatency = named(
  'latency',
  `INSERT INTO latency_hours AS t (project_id, hour, bucket, events)
   VALUES ($1, date_trunc('hour', now()), latency_bucket($2), 1)
   ON CONFLICT ON CONSTRAINT pk_latency_hours DO UPDATE SET events = t.events + 1`,
);

const app = express();
app.use(express.json());
app.post('/events', async (request, response) => {
  const { body } = request;
  const hash = createHash('sha256')
    .update(request.get('x-api-key') ?? '')
    .digest();
  const id = randomUUID();
  const client = await pool.connect();
  try {
    const [key] = (await findKey(client, [hash])).rows;
    if (key === undefined || key.revoked_at !== null || key.archived_at !== null) return response.sendStatus(401);
    await client.query('BEGIN');
    const idempotency = request.get('idempotency-key');
    if (idempotency !== undefined) {
      const digest = createHash('sha256').update(JSON.stringify(body)).digest();
      if ((await reserve(client, [key.id, idempotency, digest])).rowCount === 0) {
        await client.query('ROLLBACK');
        return response.json({ accepted: true, duplicate: true });
      }
    }
    await readAllowance(client, [key.organization_id]);
    const { method, path, status_code: status, latency_ms: latency } = body.payload;
    await insert(client, [
      key.project_id,
      id,
      key.source_id,
      key.id,
      body.event_type,
      body.source,
      body.severity,
      body.environment,
      body.message,
      JSON.stringify(body.payload),
      method,
      path,
      status,
      latency,
    ]);
    // Shared rows are written last, so that each request locks them as briefly as separate queries allow.
    await countHour(client, [key.project_id]);
    const facets = [key.project_id, body.event_type, key.source_id, body.severity, body.environment];
    await countFacets(client, facets);
    await countFacetsOfDay(client, facets);
    await countLatency(client, [key.project_id, latency]);
    await meter(client, [key.project_id, key.id]);
    await countDay(client, [key.project_id, key.source_id]);
    await countMonth(client, [key.organization_id]);
    await client.query('COMMIT');
    return response.json({ accepted: true, id, duplicate: false });
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
});
await announce(app.listen(Number(process.env.PORT), '127.0.0.1'));
