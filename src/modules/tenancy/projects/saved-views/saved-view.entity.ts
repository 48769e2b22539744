import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';

/** Named filters of the explorer or the logs, shared by the members of the project. */
@Entity('saved_views')
@Unique('uq_saved_views_project_id_name', ['projectId', 'name'])
export class SavedView {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_saved_views' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  /** Defined by the client; the service stores the filters and never reads them. */
  @Column('jsonb')
  filters!: Record<string, unknown>;

  /** Null when the creator's account was deleted. */
  @Index('ix_saved_views_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
