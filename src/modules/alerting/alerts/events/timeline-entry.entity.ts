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

/** One thing that happened to an alert event; never changed. */
@Entity('alert_timeline')
@Index('ix_alert_timeline_alert_event_id', ['alertEventId', 'position'])
@Check(
  'ck_alert_timeline_type',
  `type IN ('opened', 'notified', 'acknowledged', 'snoozed', 'snooze_ended', 'resolved', 'reopened', 'assigned', 'unassigned', 'commented', 'nobody_notified')`,
)
export class TimelineEntry {
  /** The order, which is that of the row locks. */
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

  /** Null: the service itself acted. The account may be gone. */
  @Column('uuid', { name: 'actor_user_id', nullable: true })
  actorUserId!: string | null;

  /** What the person wrote. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('json')
  detail!: Readonly<Record<string, unknown>>;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
