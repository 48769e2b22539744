import { sql } from './sql.js';

/** A notification to destinations, as it is stored. */
interface StoredNotification {
  status: string;
  occurrences: number;
  eventId: string | null;
  eventType: string | null;
  source: string | null;
  message: string | null;
  payload: object | null;
}

/**
 * Reads the notifications about an alert event, the oldest first. Routes show the deliveries of a notification, but not
 * its text.
 */
export async function alertNotifications(alertEventId: string): Promise<StoredNotification[]> {
  const rows = await sql<{ notice: StoredNotification }>(
    'SELECT notice FROM alert_notices WHERE alert_event_id = $1 ORDER BY created_at',
    [alertEventId],
  );
  return rows.map(({ notice }) => notice);
}

/**
 * Reads the ids of the alert events of a project whose snooze has ended or whose notification is due. No route shows
 * them.
 */
export async function dueAlertEvents(projectId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    'SELECT id FROM alert_events WHERE project_id = $1 AND (snoozed_until <= now() OR notice_due_at <= now())',
    [projectId],
  );
  return rows.map(({ id }) => id);
}

/** Makes the snoozes, cooldowns and silences of a project this many seconds older. No route moves the clock. */
export async function letAlertTimePass(projectId: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE alert_events SET snoozed_until = snoozed_until - make_interval(secs => $2),
       notice_due_at = notice_due_at - make_interval(secs => $2), notified_at = notified_at - make_interval(secs => $2)
     WHERE project_id = $1`,
    [projectId, seconds],
  );
  await sql(
    `UPDATE alert_silences SET starts_at = starts_at - make_interval(secs => $2),
       ends_at = ends_at - make_interval(secs => $2) WHERE project_id = $1`,
    [projectId, seconds],
  );
}

/** Makes the start of an alert event this many seconds older. No route moves the clock. */
export async function ageAlertEvent(id: string, seconds: number): Promise<void> {
  await sql('UPDATE alert_events SET created_at = created_at - make_interval(secs => $2) WHERE id = $1', [id, seconds]);
}

/**
 * Makes an alert event acknowledged after this many seconds, and resolved after twice as many. No route moves the
 * clock.
 */
export async function setAlertDurations(id: string, seconds: number): Promise<void> {
  await sql(
    `UPDATE alert_events SET first_acknowledged_at = created_at + make_interval(secs => $2),
       resolved_at = created_at + make_interval(secs => $2 * 2) WHERE id = $1`,
    [id, seconds],
  );
}

/** Gives alert events a payload that is larger than the service accepts today and contains a large number. */
export async function enlargeAlertPayloads(ids: readonly string[], bytes: number): Promise<void> {
  await sql(
    `UPDATE alert_events SET payload = json_build_object('number', 1e100, 'x', repeat('x', $2)) WHERE id = ANY ($1)`,
    [ids, bytes],
  );
}

/**
 * Makes the notes in the timeline of an alert event longer by this many bytes, beyond the size that the service accepts
 * today.
 */
export async function enlargeTimelineNotes(alertEventId: string, bytes: number): Promise<void> {
  await sql(`UPDATE alert_timeline SET note = note || repeat('x', $2) WHERE alert_event_id = $1`, [
    alertEventId,
    bytes,
  ]);
}

/** Creates silences of events of the type `x` for an hour. Over HTTP each is a request. */
export async function silences(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at)
     SELECT gen_random_uuid(), $1, '{"field": "event", "op": "eq", "value": "x"}', now(), now() + interval '1 hour'
     FROM generate_series(1, $2::int)`,
    [projectId, count],
  );
}

/** Gives a silence any filter. An older version may have stored a filter that every route refuses today. */
export async function setSilenceFilter(id: string, filter: object): Promise<void> {
  await sql('UPDATE alert_silences SET filter = $2, revision = revision + 1 WHERE id = $1', [
    id,
    JSON.stringify(filter),
  ]);
}

/** Makes a project deleted an hour earlier. No route moves the clock. */
export async function ageProjectDeletion(projectId: string): Promise<void> {
  await sql(`UPDATE projects SET deleted_at = deleted_at - interval '1 hour' WHERE id = $1`, [projectId]);
}

/**
 * Counts the stored alert events, timeline entries and silences of a project. No route shows the rows of a deleted
 * project.
 */
export async function storedAlertRows(
  projectId: string,
): Promise<{ alertEvents: number; timelineEntries: number; silences: number }> {
  const rowsOf = (table: 'alert_events' | 'alert_timeline' | 'alert_silences') =>
    sql<object>(`SELECT 1 FROM ${table} WHERE project_id = $1`, [projectId]);
  return {
    alertEvents: (await rowsOf('alert_events')).length,
    timelineEntries: (await rowsOf('alert_timeline')).length,
    silences: (await rowsOf('alert_silences')).length,
  };
}

/** Creates many alert destinations. Over HTTP each is a request. */
export async function alertDestinations(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO alert_destinations (id, project_id, type, name, target_url, is_enabled)
     SELECT gen_random_uuid(), $1, 'webhook', 'D', 'https://example.com/', true FROM generate_series(1, $2::int)`,
    [projectId, count],
  );
}

/** Returns the encrypted address of a Slack destination. Routes mask the address and never show the stored value. */
export async function sealedAddress(destinationId: string): Promise<string | undefined> {
  const rows = await sql<{ sealed_url: string }>('SELECT sealed_url FROM alert_destinations WHERE id = $1', [
    destinationId,
  ]);
  return rows[0]?.sealed_url;
}

/**
 * Gives a destination an address without the check of addresses, as if its host name resolved to another address after
 * the check. Every route refuses such an address.
 */
export async function redirectDestination(destinationId: string, targetUrl: string): Promise<void> {
  await sql('UPDATE alert_destinations SET target_url = $2 WHERE id = $1', [destinationId, targetUrl]);
}

/** Returns every column of the alert destinations and the audit log of a project. Routes leave out secret columns. */
export async function storedDestinationsAndAuditEntries(projectId: string): Promise<object[]> {
  const destinations = await sql<object>('SELECT * FROM alert_destinations WHERE project_id = $1', [projectId]);
  const auditEntries = await sql<object>('SELECT * FROM audit_events WHERE project_id = $1', [projectId]);
  return [...destinations, ...auditEntries];
}
