import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { NoticeTargets } from '../../fan-out/index.js';
import type { AlertStatus } from '../machine/alert-machine.js';

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** Values of the fields that a rule groups by. */
export type GroupValues = Readonly<Record<string, string | number | boolean | null>>;

/** The part of an occurrence that a notice reports. */
export interface ToldOccurrence {
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly source: string | null;
  readonly sourceId: string | null;
  readonly message: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const BIGINT = { to: (value: number): number => value, from: (value: string): number => Number(value) };

/**
 * One episode of something that somebody has to look at. It keeps what began it; later occurrences are counted. Written
 * under its row lock alone.
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

  /** Null: raised by hand; so is the name. The rule may be gone. */
  @Index('ix_alert_events_alert_rule_id', { where: `status <> 'resolved'` })
  @Column('uuid', { name: 'alert_rule_id', nullable: true })
  alertRuleId!: string | null;

  @Column('text', { name: 'rule_name', nullable: true })
  ruleName!: string | null;

  /** What repeats of the same thing have in common; one alert event of it is unresolved at most. */
  @Column('text')
  fingerprint!: string;

  @Column('json', { name: 'group_values' })
  groupValues!: GroupValues;

  /** The event that began it; null: none did. So are its type and source. */
  @Index('ix_alert_events_event_id', { where: 'event_id IS NOT NULL' })
  @Column('uuid', { name: 'event_id', nullable: true })
  eventId!: string | null;

  /** The event's own timestamp. */
  @Column('timestamptz', { name: 'event_at', nullable: true })
  eventAt!: Date | null;

  @Column('text', { name: 'event_type', nullable: true })
  eventType!: string | null;

  @Column('text', { nullable: true })
  source!: string | null;

  /** The Event Source that sent it, which may be gone. */
  @Column('uuid', { name: 'source_id', nullable: true })
  sourceId!: string | null;

  @Index('ix_alert_events_last_event_id', { where: 'last_event_id IS NOT NULL' })
  @Column('uuid', { name: 'last_event_id', nullable: true })
  lastEventId!: string | null;

  /** Null: the alert event is its own newest occurrence. Read only under the row lock, for notices. */
  @Column('json', { name: 'newest_occurrence', nullable: true })
  newestOccurrence!: ToldOccurrence | null;

  @Column('text')
  severity!: AlertSeverity;

  /** `snoozed` may be over: `asOf` tells. */
  @Column('text', { default: 'open' })
  status!: AlertStatus;

  @Column('text')
  message!: string;

  @Column('json')
  payload!: Readonly<Record<string, unknown>>;

  @Column('bigint', { transformer: BIGINT })
  occurrences!: number;

  /** Of the occurrences, those that notices have told of, or that were passed over. */
  @Column('bigint', { name: 'told_occurrences', default: 0, transformer: BIGINT })
  toldOccurrences!: number;

  @Index('ix_alert_events_assignee_id', { where: 'assignee_id IS NOT NULL' })
  @Column('uuid', { name: 'assignee_id', nullable: true })
  assigneeId!: string | null;

  @Index('ix_alert_events_snoozed_until', { where: 'snoozed_until IS NOT NULL' })
  @Column('timestamptz', { name: 'snoozed_until', nullable: true })
  snoozedUntil!: Date | null;

  /** Of the rule as it last fired, like the targets. */
  @Column('integer', { name: 'cooldown_seconds' })
  cooldownSeconds!: number;

  @Column('json')
  targets!: NoticeTargets;

  /** When somebody was last told of this fingerprint, of earlier episodes too while their cooldown lasts. */
  @Column('timestamptz', { name: 'notified_at', nullable: true })
  notifiedAt!: Date | null;

  /** When to look again whether to tell of what was held back; null: nothing is. */
  @Index('ix_alert_events_notice_due_at', { where: 'notice_due_at IS NOT NULL' })
  @Column('timestamptz', { name: 'notice_due_at', nullable: true })
  noticeDueAt!: Date | null;

  /** Whether the end was told since the last notice of an occurrence, or there is nobody to tell it to. */
  @Column('boolean', { name: 'is_resolve_told', default: false })
  isResolveTold!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Of the last change of anything that is shown, in whole milliseconds. */
  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;

  @Column('timestamptz', { name: 'last_occurred_at' })
  lastOccurredAt!: Date;

  @Column('timestamptz', { name: 'acknowledged_at', nullable: true })
  acknowledgedAt!: Date | null;

  /** Stays when it is reopened. */
  @Column('timestamptz', { name: 'first_acknowledged_at', nullable: true })
  firstAcknowledgedAt!: Date | null;

  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt!: Date | null;
}
