import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../access/index.js';

export const SOURCE_TYPES = ['http', 'server', 'browser', 'webhook', 'cron', 'custom'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** A sender of events to a project. It has its own keys and can be disabled separately. */
@Entity('event_sources')
@Index('ix_event_sources_project_id', ['projectId', 'createdAt'])
@Check('ck_event_sources_type', `type IN ('http', 'server', 'browser', 'webhook', 'cron', 'custom')`)
export class EventSource {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_sources' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  @Column('text')
  type!: SourceType;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('boolean', { name: 'is_enabled', default: true })
  isEnabled!: boolean;

  /** Null when the account was deleted. */
  @Index('ix_event_sources_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
