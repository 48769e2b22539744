// Creates millions of events by SQL, with all counters that ingestion would have written.

const CHUNK = 500_000;
const DAYS = 30;

/**
 * SQL of a property `visitor`. There is a visitor for every ten events, and a quarter of the visitors have the first
 * three of the twenty event names one after another.
 */
export const VISITORS = `',"visitor":"v' || n / 20 * 3 + CASE WHEN n / 20 % 2 = 0 THEN 0 ELSE n % 3 END || '"'`;

/**
 * Creates `count` events, distributed evenly over the last 30 days: 20 names, 4 severities, 3 environments, and
 * latencies with a long tail. The events go to `projects` in turn, or with `inBlocks` to one project after another. One
 * event in a million has the endpoint `/rare/needle`. `more` is SQL for text that is added to the properties. It may
 * use `n`, the number of the event.
 * @returns the end of the 30 days
 */
export async function makeRows(database, projects, count, { more = `''`, inBlocks = false } = {}) {
  await database.query(`CREATE TEMP TABLE IF NOT EXISTS filled (n integer, id uuid)`);
  await database.query('TRUNCATE filled');
  await database.query(`INSERT INTO filled SELECT n - 1, id FROM unnest($1::uuid[]) WITH ORDINALITY AS p (id, n)`, [
    projects,
  ]);
  const [{ now }] = await database.query('SELECT extract(epoch FROM now()) AS now');
  for (let from = 0; from < count; from += CHUNK) {
    await database.query(
      `INSERT INTO events (project_id, "timestamp", id, event, source, severity, status, environment, message, properties,
         bytes, log_method, log_endpoint, log_status, log_latency_ms, log_has_latency, created_at)
       SELECT p.id, v.at,
              (lpad(to_hex(v.ms), 12, '0') || '7' || substr(v.random, 1, 3) || '8' || substr(v.random, 4, 15))::uuid,
              (ARRAY['http.request', 'user.signed_in', 'cart.updated', 'order.paid', 'job.done'])[1 + v.n % 5] || '.' || v.n % 4,
              'web', (ARRAY['info', 'info', 'warning', 'error'])[1 + v.n / 7 % 4], NULL,
              (ARRAY['production', 'staging', 'development'])[1 + v.n / 11 % 3], 'GET /products/' || v.n % 1000,
              v.properties::jsonb, octet_length(v.properties), v.method, v.endpoint, v.status, v.latency, true, v.at
       FROM (SELECT n, ms, to_timestamp(ms / 1000.0) AS at, md5(n::text) AS random, method, endpoint, status, latency,
                    '{"method":"' || method || '","path":"' || endpoint || '","status_code":' || status ||
                    ',"latency_ms":' || latency || ${more} || ',"country":"DE","source":"web","session":"' || md5((n / 20)::text) ||
                    '","user_agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0",' ||
                    '"referrer":"https://shop.example.com/catalogue/shoes?page=3&sort=price",' ||
                    '"tags":["checkout","experiment-b","returning-customer"],' ||
                    '"amounts":{"subtotal":129.9,"shipping":4.95,"tax":24.68,"currency":"EUR"}}' AS properties
             FROM (SELECT n, (($3::float8 - ${DAYS} * 86400.0 * (1 - n / $4::bigint::float8)) * 1000)::bigint AS ms,
                          (ARRAY['GET', 'GET', 'POST', 'PUT'])[1 + n % 4] AS method,
                          CASE WHEN n % 1000000 = 500000 THEN '/rare/needle' ELSE '/products/' || n % 1000 END AS endpoint,
                          CASE WHEN n % 97 = 0 THEN 500 WHEN n % 31 = 0 THEN 404 ELSE 200 END AS status,
                          (exp(3 + (hashint4(n::integer) & 1023) / 300.0))::integer AS latency
                   FROM generate_series($1::bigint, $2::bigint) AS n) raw) v
       JOIN filled p ON p.n = ${inBlocks ? 'v.n * $5::bigint / $4::bigint' : 'v.n % $5::bigint'}`,
      [from, Math.min(from + CHUNK, count) - 1, now, count, projects.length],
    );
    process.stdout.write(`\r${Math.min(from + CHUNK, count).toLocaleString('en')} rows`);
  }
  process.stdout.write('\n');
  return new Date(Number(now) * 1_000);
}

/** Creates the search index of each finished month, as a job of the service does a day after the end of the month. */
export async function indexClosedMonths(database) {
  await database.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
  const months = await database.query(
    `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
     WHERE h.inhparent = 'events'::regclass AND c.relname < 'events_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')`,
  );
  for (const { name } of months) {
    await database.query(
      `CREATE INDEX IF NOT EXISTS ix_${name}_log_text ON ${name}
       USING gin (log_endpoint gin_trgm_ops, event gin_trgm_ops, log_method gin_trgm_ops)`,
    );
  }
}

/** Computes all counters again from the rows, as `ingest_events` writes them. */
export async function countRows(database) {
  await database.query(
    'TRUNCATE event_hours, event_facet_hours, event_facet_days, latency_hours, usage_daily, source_days, organization_months',
  );
  const hour = `date_trunc('hour', "timestamp", 'UTC')`;
  const day = `("timestamp" AT TIME ZONE 'UTC')::date`;
  const statements = [
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT project_id, ${hour}, count(*), count(*) FILTER (WHERE log_status >= 500) FROM events GROUP BY 1, 2`,
    `INSERT INTO event_facet_hours (project_id, hour, event, source_id, severity, status, environment, events, errors)
     SELECT project_id, ${hour}, event, source_id, severity, status, environment, count(*),
            count(*) FILTER (WHERE log_status >= 500)
     FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    `INSERT INTO event_facet_days (project_id, day, event, source_id, severity, status, environment, events, errors)
     SELECT project_id, date_trunc('day', hour, 'UTC'), event, source_id, severity, status, environment, sum(events), sum(errors)
     FROM event_facet_hours GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    `INSERT INTO latency_hours (project_id, hour, bucket, events)
     SELECT project_id, ${hour}, latency_bucket(log_latency_ms), count(*) FROM events WHERE log_has_latency GROUP BY 1, 2, 3`,
    `INSERT INTO usage_daily (day, project_id, api_key_id, events_ingested)
     SELECT ${day}, project_id, api_key_id, count(*) FROM events GROUP BY 1, 2, 3`,
    `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
     SELECT project_id, source_id, ${day}, count(*), max(created_at) FROM events GROUP BY 1, 2, 3`,
    `INSERT INTO organization_months (organization_id, month, events)
     SELECT p.organization_id, date_trunc('month', u.day)::date, sum(u.events_ingested)
     FROM usage_daily u JOIN projects p ON p.id = u.project_id GROUP BY 1, 2`,
  ];
  for (const statement of statements) await database.query(statement);
  await database.query('VACUUM (ANALYZE)');
}
