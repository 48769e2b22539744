import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, ProjectId, UserId } from '../../access/index.js';

@Entity('projects')
@Index('uq_projects_organization_id_slug', { synchronize: false })
@Check('ck_projects_owner', 'owner_id IS NOT NULL OR deleted_at IS NOT NULL')
@Check('ck_projects_deleted', 'deleted_at IS NULL OR archived_at IS NOT NULL')
export class Project {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  id!: ProjectId;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  /** Null only when the project was deleted together with its organization. */
  @Index('ix_projects_owner_id')
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId!: UserId;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null: the project is not archived and accepts events. */
  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: Date | null;

  /** Set when the project is deleted. The row stays until the other rows of the project are removed. */
  @Index('ix_projects_deleted_at', { where: 'deleted_at IS NOT NULL' })
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /**
   * When the removal last checked a deleted project. The removal continues with the project that was checked least
   * recently.
   */
  @Column('timestamptz', { name: 'removal_checked_at', nullable: true })
  removalCheckedAt!: Date | null;
}
