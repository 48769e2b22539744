import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';

export const TIMELINE_TYPES = [
  'opened',
  'notified',
  'nobody_notified',
  'acknowledged',
  'snoozed',
  'snooze_ended',
  'resolved',
  'reopened',
  'assigned',
  'unassigned',
  'commented',
] as const;
export type TimelineType = (typeof TIMELINE_TYPES)[number];

/** One entry in the timeline of an alert event. Entries never change. */
@Entity('alert_timeline')
@Index('ix_alert_timeline_alert_event_id', ['alertEventId', 'position'])
@Check(
  'ck_alert_timeline_type',
  `type IN ('opened', 'notified', 'acknowledged', 'snoozed', 'snooze_ended', 'resolved', 'reopened', 'assigned', 'unassigned', 'commented', 'nobody_notified')`,
)
export class TimelineEntry {
  /** The order of entries. It is the order in which their transactions got the row lock. */
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_alert_timeline',
  })
  position!: string;

  @Column('uuid')
  id!: string;

  @Index('ix_alert_timeline_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'alert_event_id' })
  alertEventId!: string;

  @Column('text')
  type!: TimelineType;

  /** The person who acted, whose account may have been deleted; null: the service acted. */
  @Column('uuid', { name: 'actor_user_id', nullable: true })
  actorUserId!: string | null;

  /** The note or comment of the person. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('json')
  detail!: Readonly<Record<string, unknown>>;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
