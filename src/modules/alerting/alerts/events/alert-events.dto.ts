import {
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import { writeObject, WrittenJson } from '../../../../platform/http/written-json.js';
import { type Range, RANGES } from '../../../tenancy/projects/index.js';
import { maskedAddress } from '../../../identity/users/index.js';
import { ALERT_STATUSES, type AlertStatus, asOf } from '../machine/alert-machine.js';
import { ALERT_SEVERITIES, type AlertEvent, type AlertSeverity } from './alert-event.entity.js';
import type { HeldAlert } from './alert-events.repository.js';
import type { ShownAlert } from './alert-reads.repository.js';
import { TIMELINE_TYPES, type TimelineType } from './timeline-entry.entity.js';
import type { ReadEntry } from './timeline.repository.js';

/** The value of a field that a rule groups by. */
const SCALAR = { type: ['string', 'number', 'boolean', 'null'] };
/** The maximum length of a payload, in characters of its JSON. */
const MAX_PAYLOAD = 16_384;

/** A time window in which alert events were raised. */
export class AlertWindowQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(RANGES, {
    optional: true,
    default: 'all',
    description: 'Raised in the window that ends at to_ts, or now. Without effect where from_ts is given',
  })
  range!: Range;

  @DateTimeField({ optional: true, description: 'Raised at this time or later; wins over range' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Raised before this time' })
  to_ts?: Date;
}

export class AlertEventsQuery extends AlertWindowQuery {
  @EnumField(ALERT_STATUSES, { optional: true, description: 'Of this status alone' })
  status?: AlertStatus;

  @EnumField(ALERT_SEVERITIES, { optional: true, description: 'Of this severity alone' })
  severity?: AlertSeverity;

  @UuidField({ optional: true, description: 'Of this rule alone' })
  alert_rule_id?: string;

  @UuidField({ optional: true, description: 'Of this person alone' })
  assignee_id?: string;

  @UuidField({ optional: true, description: 'Began it or was its last occurrence' })
  event_id?: string;

  @TextField({ optional: true, max: 250, description: 'Exact' })
  fingerprint?: string;

  @TextField({
    optional: true,
    max: 200,
    description: 'Case-insensitive part of message, event type, source or name of the rule',
  })
  query?: string;

  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({
    min: 0,
    max: 9_007_199_254_740_991,
    optional: true,
    default: 0,
    description: 'How many came before this page',
  })
  offset!: number;
}

export class RaiseAlertRequest {
  @UuidField({})
  project_id!: string;

  @TextField({ min: 1, max: 500, example: 'The payment provider is down', description: 'What happened, for people' })
  message!: string;

  @EnumField(ALERT_SEVERITIES, { optional: true, default: 'warning', description: 'How bad it is' })
  severity!: AlertSeverity;

  @UuidField({ optional: true, nullable: true, description: 'An event of the project that it is about' })
  event_id?: string | null;

  @TextField({ min: 1, max: 200, optional: true, nullable: true, description: 'Left out: that of the event' })
  event_type?: string | null;

  @TextField({ min: 1, max: 200, optional: true, nullable: true, description: 'Left out: that of the event' })
  source?: string | null;

  @ObjectField({
    optional: true,
    default: {},
    check: (value) => (JSON.stringify(value).length <= MAX_PAYLOAD ? undefined : 'payloads have at most 16 KiB'),
    description: 'What belongs to it, as free JSON',
  })
  payload!: Record<string, unknown>;

  @TextField({
    min: 1,
    max: 200,
    optional: true,
    nullable: true,
    description:
      'What repeats have in common, kept as `manual:<fingerprint>`: the unresolved alert event of it takes the occurrence. Left out: a new one begins',
  })
  fingerprint?: string | null;
}

export class AlertEventResponse {
  @UuidField({})
  id!: string;

  @UuidField({ nullable: true, description: 'Null: raised by hand. The rule may have been deleted since' })
  alert_rule_id!: string | null;

  @TextField({ nullable: true, description: 'When it was raised' })
  rule_name!: string | null;

  @UuidField({})
  project_id!: string;

  @UuidField({ nullable: true, description: 'The event that began it; null: no single event did' })
  event_id!: string | null;

  @TextField({ nullable: true, description: 'Of the event that began it; null: no single event did' })
  event_type!: string | null;

  @TextField({ nullable: true, description: 'Where the sender says it comes from' })
  source!: string | null;

  @EnumField(ALERT_SEVERITIES, { description: 'How bad it is' })
  severity!: AlertSeverity;

  @EnumField(ALERT_STATUSES, { description: 'How far people have come with it' })
  status!: AlertStatus;

  @TextField({ description: 'What happened, for people' })
  message!: string;

  @ObjectField({ description: 'What belongs to it, as free JSON' })
  payload!: Record<string, unknown>;

  @TextField({ description: 'Of the rule and its group; one alert event of it is unresolved at most' })
  fingerprint!: string;

  @ObjectField({
    document: { additionalProperties: SCALAR },
    description: 'Values of the fields that the rule groups by, by field',
  })
  group_values!: Record<string, unknown>;

  @IntField({ min: 1, description: 'How often it has happened' })
  occurrences!: number;

  @UuidField({ nullable: true, description: 'Who looks after it; null: nobody' })
  assignee_id!: string | null;

  @DateTimeField({ nullable: true, description: 'While snoozed' })
  snoozed_until!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it last happened' })
  last_occurred_at!: string;

  @DateTimeField({ nullable: true, description: 'First time since it was raised or reopened' })
  acknowledged_at!: string | null;

  @DateTimeField({ nullable: true, description: 'While resolved' })
  resolved_at!: string | null;
}

/** A message of the stream of alert events. */
export class AlertEventMessage {
  @ConstantField('alert_event', { description: 'Of the message' })
  type!: 'alert_event';

  @NestedField(() => AlertEventResponse, { description: 'As its own route answers it' })
  alert_event!: AlertEventResponse;
}

export class AlertEventsResponse extends PageResponse {
  @IntField({
    min: 1,
    description: 'Of items at most; fewer than asked for where large payloads end the page early: go on behind them',
  })
  override limit!: number;

  @ListField(nested(() => AlertEventResponse), { description: 'Alert events of this page' })
  items!: AlertEventResponse[];
}

class TimelineActor {
  @UuidField({ description: 'The person' })
  user_id!: string;

  @TextField({ nullable: true, description: 'Name or masked address; null: the account is gone' })
  display_name!: string | null;
}

export class TimelineEntryResponse {
  @UuidField({})
  id!: string;

  @EnumField(TIMELINE_TYPES, { description: 'What happened' })
  type!: TimelineType;

  @NestedField(() => TimelineActor, { nullable: true, description: 'Null: the service itself' })
  actor!: TimelineActor | null;

  @TextField({ nullable: true, description: 'Note or comment' })
  body!: string | null;

  @ObjectField({
    description:
      '`notified`: status, occurrences, deliveries and attempts, and silences_unasked where the silences took too long to be all asked. `snoozed`: until. `assigned`: assignee_id. `opened`: occurrences. `resolved` by recovery: by `rule`',
  })
  detail!: Record<string, unknown>;

  @DateTimeField({})
  created_at!: string;
}

/** Returns {@link alertEventResponse} as JSON text, with the payload text as it was read. */
export function alertEventJson({ alert, now }: ShownAlert): WrittenJson<AlertEventResponse> {
  const members = alertEventResponse({ alert: { ...alert, payload: {} }, now });
  return writeObject<AlertEventResponse>({ ...members, payload: new WrittenJson(alert.payload) });
}

export function alertEventResponse({ alert, now }: HeldAlert): AlertEventResponse {
  const { status, snoozedUntil } = asOf(alert, now);
  return {
    id: alert.id,
    alert_rule_id: alert.alertRuleId,
    rule_name: alert.ruleName,
    project_id: alert.projectId,
    event_id: alert.eventId,
    event_type: alert.eventType,
    source: alert.source,
    severity: alert.severity,
    status,
    message: alert.message,
    payload: { ...alert.payload },
    fingerprint: alert.fingerprint,
    group_values: { ...alert.groupValues },
    occurrences: alert.occurrences,
    assignee_id: alert.assigneeId,
    snoozed_until: isoOf(snoozedUntil),
    created_at: alert.createdAt.toISOString(),
    last_occurred_at: alert.lastOccurredAt.toISOString(),
    acknowledged_at: isoOf(alert.acknowledgedAt),
    resolved_at: isoOf(alert.resolvedAt),
  };
}

export function timelineEntryResponse(entry: ReadEntry): TimelineEntryResponse {
  const { actorUserId, actorName, actorEmail } = entry;
  const name = actorName ?? (actorEmail === null ? null : maskedAddress(actorEmail));
  return {
    id: entry.id,
    type: entry.type,
    actor: actorUserId === null ? null : { user_id: actorUserId, display_name: name },
    body: entry.note,
    detail: { ...entry.detail },
    created_at: entry.createdAt.toISOString(),
  };
}

function isoOf(time: AlertEvent['resolvedAt']): string | null {
  return time?.toISOString() ?? null;
}
