import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { SavedViewKind } from '../../search-sources/index.js';

/** A named view of events, such as filters, a query or a dashboard. The members of the project share it. */
@Entity('saved_views')
@Check('ck_saved_views_kind', `kind IN ('view', 'analysis', 'query', 'performance', 'dashboard')`)
@Unique('uq_saved_views_project_id_name', ['projectId', 'name'])
export class SavedView {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_saved_views' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  /** The kind, which cannot be changed after the creation. */
  @Column('text', { default: 'view' })
  kind!: SavedViewKind;

  /**
   * The client defines the content. Only dashboards are checked, and only when they are stored, so rows of older
   * versions may have another form.
   */
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
