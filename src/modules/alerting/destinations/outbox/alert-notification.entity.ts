import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { StoredNotification } from '../drivers/alert-notification.js';

/** A notification of an alert event. All its deliveries send the same content. */
@Entity('alert_notices')
export class AlertNotificationRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_notices' })
  id!: string;

  @Index('ix_alert_notices_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'alert_event_id' })
  alertEventId!: string;

  /** The type `json` keeps the order of keys, so that every send has the same bytes. */
  @Column('json')
  notice!: StoredNotification;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
