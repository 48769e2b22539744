import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('projects')
@Unique('uq_projects_organization_id_slug', ['organizationId', 'slug'])
export class Project {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  @Index('ix_projects_owner_id')
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
