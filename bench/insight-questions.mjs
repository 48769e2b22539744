// The questions about events, and the best plain SQL for the same answers.

const HOUR = 3_600_000;

const before = (end, hours) => new Date(end.getTime() - hours * HOUR).toISOString();
const DAY = 24;
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;
const ERRORS = 'count(*) FILTER (WHERE log_status >= 500)';

const FUNNEL_STEPS = ['http.request.0', 'user.signed_in.1', 'cart.updated.2'];

/** Window functions carry the newest start of a chain from step to step, which is the rule of the service. */
const funnelSql = (rows) => `
  WITH steps AS (
    SELECT properties -> 'visitor' AS key, event, "timestamp" AS at, id FROM events
    WHERE ${rows} AND event = ANY ('{${FUNNEL_STEPS.join(',')}}') AND properties ? 'visitor'),
  first AS (
    SELECT *, max(at) FILTER (WHERE event = '${FUNNEL_STEPS[0]}') OVER before AS begun FROM steps
    WINDOW before AS (PARTITION BY key ORDER BY at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
  second AS (
    SELECT *, max(begun) FILTER (WHERE event = '${FUNNEL_STEPS[1]}' AND at - begun <= interval '7 days') OVER before AS reached
    FROM first
    WINDOW before AS (PARTITION BY key ORDER BY at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
  keys AS (
    SELECT key, bool_or(event = '${FUNNEL_STEPS[0]}') AS one,
           min(at - begun) FILTER (WHERE event = '${FUNNEL_STEPS[1]}' AND at - begun <= interval '7 days') AS two,
           min(at - reached) FILTER (WHERE event = '${FUNNEL_STEPS[2]}' AND at - reached <= interval '7 days') AS three
    FROM second GROUP BY key)
  SELECT count(*), count(*) FILTER (WHERE one), count(two), count(three),
         percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY two),
         percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY three)
  FROM keys`;

const NAMES = [
  ['saved_views', 'name'],
  ['event_sources', `concat_ws(' ', name, description, type)`],
  ['api_keys', `concat_ws(' ', name, prefix)`],
  ['alert_rules', 'name'],
  ['alert_destinations', `concat_ws(' ', name, type)`],
  ['delivery_channels', `concat_ws(' ', name, type)`],
  ['stored_objects', 'key'],
  ['project_secrets', `concat_ws(' ', name, description)`],
];
const NAMES_SQL = [
  ...NAMES.map(
    ([table, text]) => `(SELECT id::text, ${text}, created_at FROM ${table}
      WHERE project_id = $1 AND ${text} ILIKE '%needle%' ORDER BY created_at DESC LIMIT 50)`,
  ),
  `(SELECT id::text, message, created_at FROM alert_events
    WHERE project_id = $1 AND created_at >= now() - interval '7 days' AND message ILIKE '%needle%' ORDER BY created_at DESC LIMIT 50)`,
  `(SELECT DISTINCT event, event, day FROM event_facet_days
    WHERE project_id = $1 AND day >= now() - interval '8 days' AND event ILIKE '%needle%' LIMIT 50)`,
].join(' UNION ALL ');

/** The values of `type` for a search that does not include events. */
const NAMED_TYPES = [
  ...['event_type', 'event_source', 'api_key', 'alert_rule', 'alert_event', 'alert_destination', 'delivery_channel'],
  ...['saved_view', 'object', 'secret'],
];

/** Selects the candidates of the sequence, with the fewest columns that a sequence needs. */
const sequenceRows = (rows) => `SELECT "timestamp", id, log_method, properties -> 'session' AS session FROM events
  WHERE ${rows} AND log_method IN ('GET', 'PUT') ORDER BY "timestamp", id`;

/**
 * Returns the questions by name. Each has the request, the statements for the same answer, and goals. The time less
 * `plus` milliseconds may be at most `most` times that of the statements, and at most `growth` times that in a project
 * of 100,000 events. Time ranges end at `end`, when the events were made, so that runs on a kept database send the same
 * questions. Only those of the search end now.
 */
export function questions(projectId, end) {
  /** An SQL condition for the events of the project in the last `hours` hours. */
  const last = (hours) =>
    `project_id = $1 AND "timestamp" >= '${before(end, hours)}' AND "timestamp" < '${end.toISOString()}'`;
  const window = (hours) => [
    ['from_ts', before(end, hours)],
    ['to_ts', end.toISOString()],
  ];
  const get = (path, query) => ({ path: `${path}?${new URLSearchParams([['project_id', projectId], ...query])}` });
  const analytics = (path, ...query) => get(`/v1/analytics/${path}`, query);
  const performance = (path, ...query) => get(`/v1/performance/${path}`, query);
  const eql = (query, more = {}) => ({
    path: '/v1/eql',
    body: JSON.stringify({ project_id: projectId, query, ...Object.fromEntries(window(DAY)), ...more }),
  });
  const sum = (text) => [text];
  return {
    'overview, 30 days': {
      request: analytics('overview', ...window(MONTH)),
      sql: sum(`SELECT severity, event, count(*), ${ERRORS} FROM events WHERE ${last(MONTH)} GROUP BY 1, 2`),
      most: 0.05,
      growth: 3,
    },
    'series by day, 30 days': {
      request: analytics('timeseries', ...window(MONTH), ['interval', 'day']),
      sql: sum(`SELECT date_trunc('day', "timestamp", 'UTC'), count(*) FROM events WHERE ${last(MONTH)} GROUP BY 1`),
      most: 0.05,
    },
    'series by day, split by event, 30 days': {
      request: analytics('timeseries', ...window(MONTH), ['interval', 'day'], ['split_by', 'event']),
      sql: sum(
        `SELECT date_trunc('day', "timestamp", 'UTC'), event, count(*) FROM events WHERE ${last(MONTH)} GROUP BY 1, 2`,
      ),
      most: 0.05,
    },
    'breakdown by severity, 30 days': {
      request: analytics('breakdown', ...window(MONTH), ['by', 'severity']),
      sql: sum(`SELECT severity, count(*), ${ERRORS} FROM events WHERE ${last(MONTH)} GROUP BY 1`),
      most: 0.05,
    },
    'breakdown by a property, 24 h and the 24 h before': {
      request: analytics('breakdown', ...window(DAY), ['by', 'properties.country']),
      sql: sum(
        `SELECT properties -> 'country', count(*) FILTER (WHERE "timestamp" >= '${before(end, DAY)}'), ${ERRORS}
         FROM events WHERE ${last(2 * DAY)} GROUP BY 1`,
      ),
      most: 1.2,
      plus: 5,
    },
    'series by hour with where, 24 h': {
      request: analytics(
        'timeseries',
        ...window(DAY),
        ['interval', 'hour'],
        ['where', 'properties.country == "DE" and log.status >= 500'],
      ),
      sql: sum(
        `SELECT date_trunc('hour', "timestamp", 'UTC'), count(*) FROM events
         WHERE ${last(DAY)} AND properties ->> 'country' = 'DE' AND log_status >= 500 GROUP BY 1`,
      ),
      most: 1.2,
      plus: 5,
    },
    'funnel of 3 steps, 30 days': {
      request: analytics(
        'funnel',
        ...window(MONTH),
        ['by', 'properties.visitor'],
        ...FUNNEL_STEPS.map((one) => ['step', one]),
      ),
      sql: sum(funnelSql(last(MONTH))),
      most: 1,
      memory: 100,
    },
    'performance summary, 7 days': {
      request: performance('summary', ...window(WEEK), ['compare', 'none']),
      sql: sum(
        `SELECT count(*), ${ERRORS}, min(log_latency_ms), avg(log_latency_ms), max(log_latency_ms),
                percentile_disc(ARRAY[0.5, 0.75, 0.9, 0.95, 0.99]) WITHIN GROUP (ORDER BY log_latency_ms)
         FROM events WHERE ${last(WEEK)} AND log_has_latency`,
      ),
      most: 0.15,
      growth: 3,
    },
    'performance series by hour, 7 days': {
      request: performance('timeseries', ...window(WEEK), ['interval', 'hour']),
      sql: sum(
        `SELECT date_trunc('hour', "timestamp", 'UTC'), count(*), ${ERRORS},
                percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY log_latency_ms)
         FROM events WHERE ${last(WEEK)} AND log_has_latency GROUP BY 1`,
      ),
      most: 0.15,
    },
    'endpoints, 30 days': {
      request: performance('endpoints', ...window(MONTH)),
      sql: sum(
        `SELECT log_method, log_endpoint, count(*), ${ERRORS}, avg(log_latency_ms), max(log_latency_ms),
                percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY log_latency_ms)
         FROM events WHERE ${last(MONTH)} GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 50`,
      ),
      most: 0.03,
      growth: 3,
    },
    'errors, 30 days': {
      request: performance('errors', ...window(MONTH)),
      sql: sum(
        `SELECT log_method, log_endpoint, log_status, count(*), max("timestamp")
         FROM events WHERE ${last(MONTH)} AND log_status >= 400 GROUP BY 1, 2, 3`,
      ),
      most: 0.03,
    },
    'slowest, 30 days': {
      request: performance('slowest', ...window(MONTH)),
      sql: sum(
        `SELECT * FROM events WHERE ${last(MONTH)} AND log_has_latency
         ORDER BY log_latency_ms DESC, "timestamp" DESC LIMIT 20`,
      ),
      most: 0.05,
    },
    'EQL, a category and an equality, 24 h': {
      request: eql('"order.paid.3" where severity == "warning"'),
      sql: sum(
        `SELECT * FROM events WHERE ${last(DAY)} AND event = 'order.paid.3' AND severity = 'warning'
         ORDER BY "timestamp" DESC, id DESC LIMIT 101`,
      ),
      most: 1.5,
      plus: 2,
    },
    'EQL sequence by key, 24 h': {
      request: eql(
        `sequence by properties.session with maxspan=1h [any where log.method == "GET"] [any where log.method == "PUT"]`,
      ),
      cursor: sequenceRows(last(DAY)),
      most: 1.2,
      candidatesPerSecond: 150_000,
    },
    'search in names': {
      request: get('/v1/search', [['q', 'needle'], ...NAMED_TYPES.map((type) => ['type', type])]),
      sql: sum(NAMES_SQL),
      most: 1.5,
      plus: 2,
    },
    'search that includes the events of 7 days': {
      request: get('/v1/search', [
        ['q', 'needle'],
        ['range', '7d'],
      ]),
      mostMs: 2_000 + 200,
    },
  };
}

/** Creates objects with names in one project. One of each kind has the name that the search looks for. */
export async function makeNames(database, projectId, organizationId) {
  const named = `CASE WHEN n = 7 THEN 'a needle' ELSE 'thing number ' || n END`;
  await database.query(
    `INSERT INTO saved_views (id, project_id, name, filters)
     SELECT gen_random_uuid(), $1, ${named}, '{}' FROM generate_series(1, 200) n`,
    [projectId],
  );
  await database.query(
    `INSERT INTO api_keys (id, project_id, name, prefix, key_hash, scopes)
     SELECT gen_random_uuid(), $1, ${named}, left(md5(n::text), 8), sha256(('bench' || n)::bytea), '{events:read}'
     FROM generate_series(1, 500) n`,
    [projectId],
  );
  await database.query(
    `INSERT INTO event_sources (id, project_id, name, type)
     SELECT gen_random_uuid(), $1, ${named}, 'http' FROM generate_series(1, 50) n`,
    [projectId],
  );
  await database.query(
    `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
     SELECT gen_random_uuid(), $1, ${named}, 'webhook', false, '{}' FROM generate_series(1, 100) n`,
    [projectId],
  );
  await database.query(
    `WITH made AS (
       INSERT INTO stored_blobs (id, organization_id, project_id, size, state, driver)
       SELECT gen_random_uuid(), $2, $1, 1, 'live', 'files' FROM generate_series(1, 10000) RETURNING id)
     INSERT INTO stored_objects (id, project_id, organization_id, key, blob_id, size, content_type, etag, metadata, version,
       content_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, 'reports/' || ${named}, id, 1, 'text/plain', 'x', '{}', 1, now(), now(), now()
     FROM (SELECT id, row_number() OVER () AS n FROM made) numbered`,
    [projectId, organizationId],
  );
  await database.query('ANALYZE');
}

/** Counts the finished hours that the worker has to aggregate, and has not aggregated yet. */
export const DUE_HOURS = `SELECT count(*)::int AS due FROM event_hours e
  WHERE e.project_id = ANY ($1) AND e.hour < now() - interval '${HOUR / 60_000 + 5} minutes'
    AND NOT EXISTS (SELECT FROM hour_rollups r WHERE r.project_id = e.project_id AND r.hour = e.hour AND r.counted = e.events)`;
