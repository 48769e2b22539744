import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { StoredNotice } from '../drivers/notice.js';

/** What is told of an alert event at one moment; the same for every destination. */
@Entity('alert_notices')
export class AlertNoticeRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_notices' })
  id!: string;

  @Index('ix_alert_notices_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'alert_event_id' })
  alertEventId!: string;

  /** `json`, which keeps the order of keys: every try sends the same bytes. */
  @Column('json')
  notice!: StoredNotice;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
