import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Traceparent } from '../../../../platform/telemetry/index.js';
import type { ProjectId } from '../../../access/index.js';
import type { NotificationTargets } from '../../fan-out/index.js';
import type { AlertStatus } from '../machine/alert-machine.js';

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** Values of the fields that a rule groups by. */
export type GroupValues = Readonly<Record<string, string | number | boolean | null>>;

/** The part of an occurrence that a notification reports. */
export interface ToldOccurrence {
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly source: string | null;
  readonly sourceId: string | null;
  /** The timestamp of the event in ISO 8601. An occurrence that an older version stored has none. */
  readonly eventAt?: string | null;
  /** The message of the event. An occurrence that an older version stored has none. */
  readonly eventMessage?: string | null;
  readonly message: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const BIGINT = { to: (value: number): number => value, from: (value: string): number => Number(value) };

/**
 * One episode of an alert. The row keeps the first occurrence and counts further ones. It is written only under its row
 * lock.
 */
@Entity('alert_events')
@Index('uq_alert_events_unresolved', ['projectId', 'fingerprint'], { unique: true, where: `status <> 'resolved'` })
@Index('ix_alert_events_fingerprint', ['projectId', 'fingerprint', 'createdAt'])
@Index('ix_alert_events_project_id', ['projectId', 'createdAt', 'id'])
@Index('ix_alert_events_changed_at', ['projectId', 'changedAt', 'id'])
@Check('ck_alert_events_severity', `severity IN ('info', 'warning', 'critical')`)
@Check('ck_alert_events_status', `status IN ('open', 'acknowledged', 'snoozed', 'resolved')`)
@Check('ck_alert_events_snoozed', `(status = 'snoozed') = (snoozed_until IS NOT NULL)`)
@Check('ck_alert_events_resolved', `(status = 'resolved') = (resolved_at IS NOT NULL)`)
@Check('ck_alert_events_occurrences', 'occurrences > 0 AND told_occurrences BETWEEN 0 AND occurrences')
export class AlertEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_events' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** The rule, which may have been deleted since. Null, like `ruleName`, when a person raised the alert. */
  @Index('ix_alert_events_alert_rule_id', { where: `status <> 'resolved'` })
  @Column('uuid', { name: 'alert_rule_id', nullable: true })
  alertRuleId!: string | null;

  @Column('text', { name: 'rule_name', nullable: true })
  ruleName!: string | null;

  /** Identifies what has occurred. At most one alert event of a fingerprint is unresolved. */
  @Column('text')
  fingerprint!: string;

  @Column('json', { name: 'group_values' })
  groupValues!: GroupValues;

  /** The event of the first occurrence; null: there was no single event. */
  @Index('ix_alert_events_event_id', { where: 'event_id IS NOT NULL' })
  @Column('uuid', { name: 'event_id', nullable: true })
  eventId!: string | null;

  /** The timestamp of the event. */
  @Column('timestamptz', { name: 'event_at', nullable: true })
  eventAt!: Date | null;

  @Column('text', { name: 'event_type', nullable: true })
  eventType!: string | null;

  /** The message of the event, which `message` may repeat. Null also for rows of an older version. */
  @Column('text', { name: 'event_message', nullable: true })
  eventMessage!: string | null;

  @Column('text', { nullable: true })
  source!: string | null;

  /** The Event Source that sent the event. It may have been deleted since. */
  @Column('uuid', { name: 'source_id', nullable: true })
  sourceId!: string | null;

  @Index('ix_alert_events_last_event_id', { where: 'last_event_id IS NOT NULL' })
  @Column('uuid', { name: 'last_event_id', nullable: true })
  lastEventId!: string | null;

  /** Null: the first occurrence is also the newest. Read only under the row lock, for notifications. */
  @Column('json', { name: 'newest_occurrence', nullable: true })
  newestOccurrence!: ToldOccurrence | null;

  @Column('text')
  severity!: AlertSeverity;

  /** A stored `snoozed` may have expired: `asOf` returns the current status. */
  @Column('text', { default: 'open' })
  status!: AlertStatus;

  @Column('text')
  message!: string;

  @Column('json')
  payload!: Readonly<Record<string, unknown>>;

  @Column('bigint', { transformer: BIGINT })
  occurrences!: number;

  /** How many of the occurrences need no notification: they have been notified, or they precede a reopening. */
  @Column('bigint', { name: 'told_occurrences', default: 0, transformer: BIGINT })
  toldOccurrences!: number;

  @Index('ix_alert_events_assignee_id', { where: 'assignee_id IS NOT NULL' })
  @Column('uuid', { name: 'assignee_id', nullable: true })
  assigneeId!: string | null;

  @Index('ix_alert_events_snoozed_until', { where: 'snoozed_until IS NOT NULL' })
  @Column('timestamptz', { name: 'snoozed_until', nullable: true })
  snoozedUntil!: Date | null;

  /** The cooldown of the rule when it last fired. `targets` are from the same firing. */
  @Column('integer', { name: 'cooldown_seconds' })
  cooldownSeconds!: number;

  @Column('json')
  targets!: NotificationTargets;

  /**
   * The time of the last notification of this fingerprint. A new episode copies it from the previous one during the
   * cooldown.
   */
  @Column('timestamptz', { name: 'notified_at', nullable: true })
  notifiedAt!: Date | null;

  /** The time at which a suppressed notification is evaluated again. Null when none is suppressed. */
  @Index('ix_alert_events_notice_due_at', { where: 'notice_due_at IS NOT NULL' })
  @Column('timestamptz', { name: 'notice_due_at', nullable: true })
  noticeDueAt!: Date | null;

  /**
   * True when the resolution has been notified since the last notification of an occurrence, or needs no notification.
   */
  @Column('boolean', { name: 'is_resolve_told', default: false })
  isResolveTold!: boolean;

  /** The trace of the newest occurrence, which its notifications continue. Null: it had none. */
  @Column('text', { nullable: true })
  traceparent!: Traceparent | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** The last change of anything that responses show, in whole milliseconds. */
  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;

  @Column('timestamptz', { name: 'last_occurred_at' })
  lastOccurredAt!: Date;

  @Column('timestamptz', { name: 'acknowledged_at', nullable: true })
  acknowledgedAt!: Date | null;

  /** The time of the first acknowledgement. It stays when the alert event is reopened. */
  @Column('timestamptz', { name: 'first_acknowledged_at', nullable: true })
  firstAcknowledgedAt!: Date | null;

  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt!: Date | null;
}
