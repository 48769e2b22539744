import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, ProjectId } from '../../access/index.js';

/** One action in an organization or project. The row is written in the transaction of the action and never changed. */
@Entity('audit_events')
@Index('ix_audit_events_organization_id', ['organizationId', 'createdAt'])
@Index('ix_audit_events_project_id', ['projectId', 'createdAt'])
@Index('ix_audit_events_created_at', ['createdAt', 'id'])
@Index('ix_audit_events_invitations', ['organizationId', 'createdAt'], { where: `target_type = 'invitation'` })
export class AuditEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_events' })
  id!: string;

  /** Null when the service itself or the payment provider acted. */
  @Column('uuid', { name: 'actor_user_id', nullable: true })
  actorUserId!: string | null;

  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: OrganizationId | null;

  @Column('uuid', { name: 'project_id', nullable: true })
  projectId!: ProjectId | null;

  /** `<noun>.<past tense>`, for example `project.archived`. */
  @Column('text')
  action!: string;

  @Column('text', { name: 'target_type' })
  targetType!: string;

  @Column('text', { name: 'target_id', nullable: true })
  targetId!: string | null;

  @Column('jsonb', { default: {} })
  detail!: Record<string, unknown>;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
