import pg from 'pg';
import { service } from '../running-service.js';
import { asText, sql } from './sql.js';

/** Creates many disabled alert rules. Over HTTP each is a request. */
export async function fillAlertRules(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                              keep_firing_seconds, cooldown_seconds)
     SELECT gen_random_uuid(), $1, 'Rule ' || n, false, 'info', 'match', '{"kind": "match"}', '{}', 0, 0, 0
     FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Returns whether the events of a project are queued for its rules. No route shows it. */
export async function areEventsQueued(projectId: string): Promise<boolean> {
  return (await sql('SELECT 1 FROM event_watches WHERE project_id = $1', [projectId])).length > 0;
}

/**
 * Returns all stored rows of the alert rules of a project. Routes leave out columns, and the links of deleted rules.
 */
export async function storedAlertRules(projectId: string): Promise<unknown[]> {
  const ofRules = (table: 'alert_rule_destinations' | 'alert_rule_channels' | 'alert_rule_series') =>
    sql(`SELECT t.* FROM ${table} t JOIN alert_rules r ON r.id = t.rule_id WHERE r.project_id = $1 ORDER BY t::text`, [
      projectId,
    ]);
  return Promise.all([
    sql('SELECT * FROM alert_rules WHERE project_id = $1 ORDER BY id', [projectId]),
    ofRules('alert_rule_destinations'),
    ofRules('alert_rule_channels'),
    ofRules('alert_rule_series'),
    sql('SELECT * FROM event_watches WHERE project_id = $1', [projectId]),
  ]);
}

/**
 * Returns whether every event of a project is matched, every match has raised its alert, and no series of a match rule
 * is due. No route shows waiting events.
 */
export async function isMatchingDone(projectId: string): Promise<boolean> {
  const waiting = await sql(
    `(SELECT 1 FROM event_outbox o JOIN event_watches w ON w.project_id = o.project_id WHERE o.project_id = $1 LIMIT 1)
     UNION ALL (SELECT 1 FROM alert_rule_firings WHERE project_id = $1 LIMIT 1)
     UNION ALL (SELECT 1 FROM alert_rule_series s JOIN alert_rules r ON r.id = s.rule_id
                WHERE r.project_id = $1 AND r.kind = 'match' AND r.is_enabled AND s.due_at <= now() LIMIT 1)`,
    [projectId],
  );
  return waiting.length === 0;
}

/** Counts the groups of events of a project that wait to be matched. No route shows them. */
export async function queuedEventRows(projectId: string): Promise<number> {
  return (await sql('SELECT 1 FROM event_outbox WHERE project_id = $1', [projectId])).length;
}

/** Returns the id of the newest event of an alert event. Routes show only the first event. */
export async function lastEventOf(alertEventId: string): Promise<string | null | undefined> {
  const rows = await sql<{ last_event_id: string | null }>('SELECT last_event_id FROM alert_events WHERE id = $1', [
    alertEventId,
  ]);
  return rows[0]?.last_event_id;
}

/**
 * Runs the work while no worker matches the events of a project, as if another worker had locked the project. The
 * events and changes of the work are then processed together. No request can lock a project.
 */
export async function whileMatchingWaits<T>(projectId: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`alert-rules:${projectId}`]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Makes the series and alert events of the rules of a project this many seconds older. No route moves the clock. */
export async function letRuleTimePass(projectId: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE alert_events SET created_at = created_at - make_interval(secs => $2),
       notified_at = notified_at - make_interval(secs => $2), notice_due_at = notice_due_at - make_interval(secs => $2),
       snoozed_until = snoozed_until - make_interval(secs => $2)
     WHERE project_id = $1`,
    [projectId, seconds],
  );
  await sql(
    `UPDATE alert_rules SET watched_since = watched_since - make_interval(secs => $2),
       last_evaluated_at = last_evaluated_at - make_interval(secs => $2),
       next_evaluation_at = next_evaluation_at - make_interval(secs => $2)
     WHERE project_id = $1`,
    [projectId, seconds],
  );
  await sql(
    `UPDATE alert_rule_series s SET since = s.since - make_interval(secs => $2),
       breached_at = s.breached_at - make_interval(secs => $2), due_at = s.due_at - make_interval(secs => $2)
     FROM alert_rules r WHERE r.id = s.rule_id AND r.project_id = $1`,
    [projectId, seconds],
  );
}

/** Makes rules fail with a reason. The routes accept no condition that fails when it is evaluated. */
export async function setRuleError(ruleIds: readonly string[], reason: string): Promise<void> {
  await sql('UPDATE alert_rules SET last_error = $2, last_error_at = now() WHERE id = ANY ($1::uuid[])', [
    ruleIds,
    reason,
  ]);
}

/** Makes a rule begin in an hour, so that it is not evaluated before. Over HTTP a rule begins at once. */
export async function postponeRule(ruleId: string): Promise<void> {
  await sql(`UPDATE alert_rules SET watched_since = now() + interval '1 hour' WHERE id = $1`, [ruleId]);
}

/** Sets the seconds until the next attempt of an alert delivery is due, if there is one. No route moves the clock. */
export async function setAlertDeliveryDue(id: string, inSeconds: number): Promise<void> {
  await sql(
    'UPDATE alert_deliveries SET due_at = now() + make_interval(secs => $2) WHERE id = $1 AND due_at IS NOT NULL',
    [id, inSeconds],
  );
}

/** Makes alert deliveries this many seconds older. No route moves the clock. */
export async function ageAlertDeliveries(ids: readonly string[], seconds: number): Promise<void> {
  await sql('UPDATE alert_deliveries SET created_at = created_at - make_interval(secs => $2) WHERE id = ANY ($1)', [
    ids,
    seconds,
  ]);
}

/** Copies a failed alert delivery. The copies were made before it, and failed after it. A thousand alerts take minutes. */
export async function copyFailedAlertDelivery(id: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO alert_deliveries
     SELECT (jsonb_populate_record(d, jsonb_build_object(
       'id', gen_random_uuid(), 'fingerprint', NULL,
       'created_at', d.created_at - interval '1 minute', 'completed_at', d.completed_at + interval '1 second'))).*
     FROM alert_deliveries d, generate_series(1, $2::int) WHERE d.id = $1`,
    [id, count],
  );
}

/** Claims an alert delivery for another worker. No request can claim a delivery. */
export async function claimAlertDelivery(id: string): Promise<void> {
  await sql(
    `UPDATE alert_deliveries SET claim_token = gen_random_uuid(), claim_owner = 'w',
       claim_expires_at = now() + interval '1 hour' WHERE id = $1`,
    [id],
  );
}

/** Ends the lease of the worker that is sending an alert delivery. No route moves the clock. */
export async function expireClaimOf(id: string): Promise<void> {
  await sql(
    `UPDATE alert_deliveries SET claim_expires_at = now() - interval '1 second'
     WHERE id = $1 AND claim_token IS NOT NULL`,
    [id],
  );
}

/** Returns every column of the alert deliveries of a project, as text. Routes show the sanitized part of an answer. */
export async function storedAlertDeliveries(projectId: string): Promise<string> {
  return asText(await sql<object>('SELECT * FROM alert_deliveries WHERE project_id = $1', [projectId]));
}

/** Ends the time in which the previous secret of an alert destination also signs. No route moves the clock. */
export async function endSecretOverlap(destinationId: string): Promise<void> {
  await sql('UPDATE alert_destinations SET previous_secret_until = now() WHERE id = $1', [destinationId]);
}

/** Returns whether the previous secret of an alert destination is stored. No route shows it. */
export async function hasPreviousSecret(destinationId: string): Promise<boolean> {
  const rows = await sql('SELECT 1 FROM alert_destinations WHERE id = $1 AND previous_secret IS NOT NULL', [
    destinationId,
  ]);
  return rows.length > 0;
}

/**
 * Changes the last character of the encrypted secret of an alert destination, so that it cannot be decrypted. No route
 * can do this.
 */
export async function alterDestinationSecret(destinationId: string): Promise<void> {
  await sql(
    `UPDATE alert_destinations
     SET secret = left(secret, -1) || CASE WHEN right(secret, 1) = 'A' THEN 'Q' ELSE 'A' END WHERE id = $1`,
    [destinationId],
  );
}
