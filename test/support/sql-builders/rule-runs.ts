import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { service } from '../running-service.js';
import { sql } from './sql.js';

/** The events in each of several buckets of five minutes. */
export interface EventsOfBuckets {
  readonly events: number;
  /** The number of these events with the status 500. */
  readonly errors?: number;
  readonly event?: string;
  readonly sourceId?: string | null;
  readonly latencyMs?: number | null;
  readonly endpoint?: string;
}

/**
 * Stores events in each bucket from one to another. Over HTTP these are thousands of requests, and the service checks
 * their times.
 */
export async function storeEventsOfBuckets(
  projectId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  { events, errors = 0, event = 'paid', sourceId = null, latencyMs = null, endpoint }: EventsOfBuckets,
): Promise<void> {
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method, log_endpoint,
                         log_status, log_latency_ms, log_has_latency, created_at)
     SELECT $1, b.at + e.n * interval '300 seconds' / $9::int, gen_random_uuid(), $6, $5, 's', '{}', 'EVENT', $8,
            CASE WHEN e.n < $4 THEN 500 ELSE 200 END, coalesce($7::int, 0), $7::int IS NOT NULL, b.at
     FROM generate_series($2::timestamptz, $3::timestamptz, interval '5 minutes') AS b (at)
     CROSS JOIN generate_series(0, $9::int - 1) AS e (n)`,
    [projectId, from, to, errors, event, sourceId, latencyMs, endpoint ?? `/events/${event}`, events],
  );
}

/** Counts the stored events of a project again, as the service does at ingestion. No route counts stored events. */
export async function countStoredEvents(projectId: string): Promise<void> {
  await sql('DELETE FROM event_hours WHERE project_id = $1', [projectId]);
  await sql('DELETE FROM event_facet_days WHERE project_id = $1', [projectId]);
  await sql(
    `INSERT INTO event_facet_days (project_id, event, source_id, day, events, errors)
     SELECT project_id, event, source_id, date_trunc('day', "timestamp", 'UTC') AS "at", count(*),
            count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = $1 GROUP BY project_id, event, source_id, "at"`,
    [projectId],
  );
  await sql(
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS "at", count(*),
            count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = $1 GROUP BY project_id, "at"`,
    [projectId],
  );
}

/** Makes Sentinel watch a project without scoring any bucket. Otherwise Sentinel begins with the newest bucket. */
export async function holdJudging(projectId: string): Promise<void> {
  await sql(
    `INSERT INTO sentinel_projects (project_id, judging_since, judged_until, due_at)
     VALUES ($1, 'infinity', 'infinity', 'infinity')`,
    [projectId],
  );
}

/** Makes scoring of a project begin with a bucket, but not yet. No route sets where Sentinel begins. */
export async function watchFrom(projectId: string, at: Date): Promise<void> {
  await sql(
    `INSERT INTO sentinel_projects AS p (project_id, judging_since, judged_until, due_at)
     VALUES ($1, $2, $2, 'infinity') ON CONFLICT ON CONSTRAINT pk_sentinel_projects
     DO UPDATE SET judging_since = least(p.judging_since, $2), judged_until = $2, due_at = 'infinity'`,
    [projectId, at],
  );
}

/** Makes the next bucket of a project due, unless it is already scored. No route moves the clock. */
export async function makeBucketDue(projectId: string, at: Date): Promise<void> {
  await sql('UPDATE sentinel_projects SET due_at = now() WHERE project_id = $1 AND judged_until = $2', [projectId, at]);
}

/** Returns the end of the last scored bucket of a project. The route shows none before the first one. */
export async function judgedUntil(projectId: string): Promise<Date | null> {
  const rows = await sql<{ at: Date }>(
    'SELECT judged_until AS at FROM sentinel_projects WHERE project_id = $1 AND isfinite(judged_until)',
    [projectId],
  );
  return rows[0]?.at ?? null;
}

/** Makes the dismissals of a project mute findings until a time. Over HTTP they mute for whole hours from now. */
export async function setMutedUntil(projectId: string, until: Date): Promise<void> {
  await sql('UPDATE sentinel_feedback SET muted_until = $2 WHERE project_id = $1', [projectId, until]);
}

/**
 * Makes the dismissals of a project this many days old, so that they no longer mute findings. No route moves the clock.
 */
export async function ageFeedback(projectId: string, days: number): Promise<void> {
  await sql(
    `UPDATE sentinel_feedback SET muted_until = now() - interval '1 day',
       raised_at = ARRAY[now() - make_interval(days => $2)] WHERE project_id = $1`,
    [projectId, days],
  );
}

/**
 * Returns how long the dismissals of a project mute findings, and how often they raise thresholds. No route shows it.
 */
export async function storedFeedback(
  projectId: string,
): Promise<{ kind: string; raises: number; hours: number | null }[]> {
  return sql(
    `SELECT f.kind, cardinality(f.raised_at) AS raises,
            (extract(epoch FROM f.muted_until - d.dismissed_at) / 3600)::int AS hours
     FROM sentinel_feedback f JOIN sentinel_findings d USING (project_id, kind) WHERE project_id = $1`,
    [projectId],
  );
}

/** Reopens the findings of a project. No route reverts a dismissal. */
export async function reopenFindings(projectId: string): Promise<void> {
  await sql(
    `UPDATE sentinel_findings SET status = 'open', dismissed_at = NULL, dismissed_by = NULL WHERE project_id = $1`,
    [projectId],
  );
}

/** Moves the findings of a project back by this many minutes. No route moves the clock. */
export async function moveFindingsBack(projectId: string, minutes: number): Promise<void> {
  await sql(
    `UPDATE sentinel_findings SET started_at = started_at - make_interval(mins => $2),
       last_seen_at = last_seen_at - make_interval(mins => $2), resolved_at = resolved_at - make_interval(mins => $2)
     WHERE project_id = $1`,
    [projectId, minutes],
  );
}

/** Moves the start of a finding to this many days ago and keeps its end. No route moves the clock. */
export async function setFindingAge(id: string, days: number): Promise<void> {
  await sql('UPDATE sentinel_findings SET started_at = now() - make_interval(days => $2) WHERE id = $1', [id, days]);
}

/** Makes the findings of a project begin this many minutes earlier and keeps their ends. No route moves the clock. */
export async function lengthenFindings(projectId: string, minutes: number): Promise<void> {
  await sql('UPDATE sentinel_findings SET started_at = started_at - make_interval(mins => $2) WHERE project_id = $1', [
    projectId,
    minutes,
  ]);
}

/** Deletes the series of the rules of a project. No route does that without changing the rule. */
export async function forgetSeries(projectId: string): Promise<void> {
  await sql('DELETE FROM alert_rule_series WHERE rule_id IN (SELECT id FROM alert_rules WHERE project_id = $1)', [
    projectId,
  ]);
}

/**
 * Stores resolved findings of types `type.0`, `type.1` …, ten for each of the past hours. Sentinel finds only a few a
 * day.
 */
export async function resolvedFindings(projectIds: readonly string[], count: number): Promise<void> {
  await sql(
    `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score,
                                    title, summary, started_at, detected_at, last_seen_at, resolved_at, evidence)
     SELECT gen_random_uuid(), p.id, 'rate_spike', 'event', 'type.' || n, 'events', 'resolved', 'warning', 0.5,
            'A spike', 'A spike', at, at, at, at, '{}'
     FROM unnest($1::uuid[]) AS p (id),
          (SELECT n, now() - (n / 10) * interval '1 hour' AS at FROM generate_series(0, $2::int - 1) n) f`,
    [projectIds, count],
  );
}

/** Stores a finding with any kind and time. Sentinel itself chooses both from the events of a project. */
export async function storeFinding(
  projectId: string,
  finding: {
    readonly kind: string;
    readonly severity: string;
    readonly seriesType: string;
    readonly seriesValue: string;
    readonly actual: number | null;
    readonly startedAt: Date;
    readonly lastSeenAt: Date;
    readonly resolvedAt?: Date;
    readonly dismissedAt?: Date;
  },
): Promise<void> {
  const { resolvedAt = null, dismissedAt = null } = finding;
  const status = resolvedAt !== null ? 'resolved' : dismissedAt !== null ? 'dismissed' : 'open';
  await sql(
    `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score,
                                    title, summary, actual, expected, started_at, detected_at, last_seen_at,
                                    resolved_at, dismissed_at, evidence)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 'events', $5, $6, 1, $2, $2, $7, 5, $8, $8, $9, $10, $11, '{}')`,
    [
      ...[projectId, finding.kind, finding.seriesType, finding.seriesValue, status, finding.severity, finding.actual],
      ...[finding.startedAt, finding.lastSeenAt, resolvedAt, dismissedAt],
    ],
  );
}

/** An event as it is stored. Omitted fields get the smallest valid values. */
export interface StoredEvent {
  readonly secondsAgo: number;
  readonly event?: string;
  readonly properties?: object;
  readonly status?: number;
  readonly latencyMs?: number | null;
}

/**
 * Stores events with times around now, without counting them. Over HTTP the time and the status of an event have
 * limits.
 */
export async function storeEvents(projectId: string, events: readonly StoredEvent[]): Promise<void> {
  const rows = events.map(({ secondsAgo, event = 'e', properties = {}, status = 200, latencyMs = null }) => ({
    at: new Date(Date.now() - secondsAgo * 1_000),
    event,
    properties,
    status,
    latency: latencyMs,
  }));
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, e.at, gen_random_uuid(), e.event, 's', e.properties, 'EVENT', '/events/' || e.event, e.status,
            coalesce(e.latency, 0), e.latency IS NOT NULL, e.at
     FROM json_to_recordset($2::json) AS e (at timestamptz, event text, properties json, status int, latency int)`,
    [projectId, JSON.stringify(rows)],
  );
}

/** Makes the stored events of a project this many seconds older. No route moves the clock. */
export async function moveEventsBack(projectId: string, seconds: number): Promise<void> {
  await sql('UPDATE events SET "timestamp" = "timestamp" - make_interval(secs => $2) WHERE project_id = $1', [
    projectId,
    seconds,
  ]);
}

/**
 * Makes a window rule due. A rule becomes due by itself after a part of its window. @returns the time of the database
 */
export async function makeRuleDue(ruleId: string): Promise<Date> {
  const rows = await sql<{ at: Date }>(
    'UPDATE alert_rules SET next_evaluation_at = clock_timestamp() WHERE id = $1 RETURNING next_evaluation_at AS at',
    [ruleId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no rule ${ruleId}`);
  return row.at;
}

/** Returns the time of the last evaluation of a rule. Routes show its state, but not whether an evaluation set it. */
export async function lastEvaluation(ruleId: string): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>('SELECT last_evaluated_at AS at FROM alert_rules WHERE id = $1', [
    ruleId,
  ]);
  return rows[0]?.at ?? null;
}

/** Returns the seconds until the next evaluation of a rule. No route shows it. */
export async function secondsUntilEvaluation(ruleId: string): Promise<number> {
  const rows = await sql<{ seconds: number }>(
    'SELECT extract(epoch FROM next_evaluation_at - clock_timestamp())::float8 AS seconds FROM alert_rules WHERE id = $1',
    [ruleId],
  );
  return rows[0]?.seconds ?? 0;
}

/**
 * Stores a condition without a check, as an older version may have stored it, and makes its rule due. Routes refuse it.
 */
export async function storeCondition(ruleId: string, condition: object): Promise<void> {
  await sql(
    `UPDATE alert_rules SET condition = $2, revision = revision + 1, next_evaluation_at = clock_timestamp()
     WHERE id = $1`,
    [ruleId, JSON.stringify(condition)],
  );
}

/**
 * Groups a rule by a field that does not exist, so that its evaluation fails, and makes the rule due. Routes refuse the
 * field.
 */
export async function groupByUnknownField(ruleId: string): Promise<void> {
  await sql(
    `UPDATE alert_rules SET group_by = '{unknown}', revision = revision + 1, next_evaluation_at = clock_timestamp()
     WHERE id = $1`,
    [ruleId],
  );
}

/** Makes a rule this many seconds older, and due. No route moves the clock. */
export async function ageFailingRule(ruleId: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE alert_rules SET next_evaluation_at = clock_timestamp(),
       watched_since = watched_since - make_interval(secs => $2), updated_at = updated_at - make_interval(secs => $2),
       last_evaluated_at = last_evaluated_at - make_interval(secs => $2)
     WHERE id = $1`,
    [ruleId, seconds],
  );
}

/** Events that wait to be matched and were queued together. */
export interface QueuedEvents {
  readonly ids: string[];
  readonly timestamps: Date[];
}

/** Removes the waiting events of a project from the queue and returns them. No route shows them. */
export async function takeQueuedEvents(projectId: string): Promise<QueuedEvents[]> {
  return sql('DELETE FROM event_outbox WHERE project_id = $1 RETURNING event_ids AS ids, timestamps', [projectId]);
}

const QUEUE = 'INSERT INTO event_outbox (project_id, event_ids, timestamps) VALUES ($1, $2, $3)';

/**
 * Queues events again in several overlapping transactions, each with a part of the events. The transactions end in
 * another order than they began. Over HTTP the service decides on the order.
 */
export async function queueByWriters(
  projectId: string,
  queued: readonly QueuedEvents[],
  writers: number,
): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const client = new pg.Client({ connectionString: service.databaseUrl });
      await client.connect();
      try {
        for (const { ids, timestamps } of queued.filter((_one, at) => at % writers === writer)) {
          await client.query('BEGIN');
          await client.query(QUEUE, [projectId, ids, timestamps]);
          await client.query('SELECT pg_sleep(random() / 20)');
          await client.query('COMMIT');
        }
      } finally {
        await client.end();
      }
    }),
  );
}

/**
 * Runs the work while an open transaction has queued events, and then commits it. No request holds a transaction open.
 */
export async function whileQueueing<T>(
  projectId: string,
  queued: readonly QueuedEvents[],
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    for (const { ids, timestamps } of queued) await client.query(QUEUE, [projectId, ids, timestamps]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

/**
 * Makes the waiting events of a project this many seconds older, and its rules one minute. No route moves the clock.
 */
export async function ageQueuedEvents(projectId: string, seconds: number): Promise<void> {
  await sql(`UPDATE alert_rules SET watched_since = watched_since - interval '1 minute' WHERE project_id = $1`, [
    projectId,
  ]);
  await sql('UPDATE event_outbox SET created_at = created_at - make_interval(secs => $2) WHERE project_id = $1', [
    projectId,
    seconds,
  ]);
}

/**
 * Sets the match mark of the queued events of a project to that of a killed worker. The worker was matching several of
 * them, or only the first one. After a first death, events are matched one by one. No request kills a worker.
 * @returns the id of the one event
 */
export async function markOfKilledWorker(
  projectId: string,
  matched: 'several events' | 'the first event' | 'the first event after a first death',
): Promise<string | null> {
  const rows = await sql<{ event_id: string | null }>(
    `INSERT INTO event_match_marks (project_id, worker, is_evaluating, until_position, event_id, suspects_until)
     SELECT $1::uuid, $2::uuid, true, o.position, CASE WHEN $3::boolean THEN o.event_ids[1] END,
            CASE WHEN $4::boolean THEN o.position END
     FROM event_outbox o WHERE o.project_id = $1
     ORDER BY CASE WHEN $3::boolean THEN o.position END, o.position DESC LIMIT 1
     ON CONFLICT (project_id) DO UPDATE
     SET worker = excluded.worker, is_evaluating = true, until_position = excluded.until_position,
         event_id = excluded.event_id, suspects_until = excluded.suspects_until
     RETURNING event_id`,
    [projectId, randomUUID(), matched !== 'several events', matched === 'the first event after a first death'],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no events of project ${projectId} are queued`);
  return row.event_id;
}

/** Marks an event as being matched by the worker of a project, as the worker itself does. No route sets the mark. */
export async function markOfLivingWorker(projectId: string, eventId: string): Promise<void> {
  await sql('UPDATE event_match_marks SET is_evaluating = true, event_id = $2 WHERE project_id = $1', [
    projectId,
    eventId,
  ]);
}

/** Returns the match mark that the worker of a project stored last. No route shows it. */
export async function matchMark(
  projectId: string,
): Promise<{ is_evaluating: boolean; event_id: string | null; suspects_until: string | null } | undefined> {
  const rows = await sql<{ is_evaluating: boolean; event_id: string | null; suspects_until: string | null }>(
    'SELECT is_evaluating, event_id, suspects_until FROM event_match_marks WHERE project_id = $1',
    [projectId],
  );
  return rows[0];
}
