import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId, Role, UserId } from '../../access/index.js';

/** A member's role in one project. It has no effect without a membership in the project's organization. */
@Entity('project_members')
@Check('ck_project_members_role', `role IN ('viewer', 'member', 'operator', 'admin', 'owner')`)
export class ProjectMember {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: 'pk_project_members' })
  projectId!: ProjectId;

  @Index('ix_project_members_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_project_members' })
  userId!: UserId;

  @Column('text')
  role!: Role;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
