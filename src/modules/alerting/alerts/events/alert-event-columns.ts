/**
 * Every column of `alert_events a` that responses show, under the names of the entity. The payload is read as JSON
 * text. The text keeps all digits of numbers, and takes as little as a twentieth of the memory of parsed objects.
 */
export const ALERT_COLUMNS = `
  a.id, a.project_id AS "projectId", a.alert_rule_id AS "alertRuleId", a.rule_name AS "ruleName", a.fingerprint,
  a.group_values AS "groupValues", a.event_id AS "eventId", a.event_at AS "eventAt",
  a.event_type AS "eventType", a.source, a.source_id AS "sourceId",
  a.last_event_id AS "lastEventId", a.severity, a.status, a.message, a.payload::text AS payload, a.occurrences::float8 AS occurrences,
  a.told_occurrences::float8 AS "toldOccurrences", a.assignee_id AS "assigneeId", a.snoozed_until AS "snoozedUntil",
  a.cooldown_seconds AS "cooldownSeconds", a.targets, a.notified_at AS "notifiedAt",
  a.notice_due_at AS "noticeDueAt", a.is_resolve_told AS "isResolveTold", a.created_at AS "createdAt",
  a.changed_at AS "changedAt", a.last_occurred_at AS "lastOccurredAt", a.acknowledged_at AS "acknowledgedAt",
  a.first_acknowledged_at AS "firstAcknowledgedAt", a.resolved_at AS "resolvedAt"`;

/** Adds what only notifications report: the newest occurrence as JSON text, its trace, and the message of the event. */
export const HELD_COLUMNS = `${ALERT_COLUMNS}, a.traceparent, a.event_message AS "eventMessage",
  a.newest_occurrence::text AS "newestOccurrence"`;

/**
 * SQL for the time of a change. It is in whole milliseconds, as in a `Date`, because readers pass this time back as
 * their cursor.
 */
export const MOMENT = `date_trunc('milliseconds', clock_timestamp())`;

/** SQL for the current status, the same as `asOf` returns. */
export const STATUS_NOW = `CASE WHEN a.status = 'snoozed' AND a.snoozed_until <= statement_timestamp() THEN 'open'
  ELSE a.status END`;
