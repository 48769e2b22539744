import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId } from '../../../access/index.js';

/**
 * A group of an identity provider. A unique index on `lower(display_name)`, created in SQL, makes names unique in an
 * organization.
 */
@Entity('scim_groups')
@Index('uq_scim_groups_display_name', { synchronize: false })
@Index('ix_scim_groups_created_at', ['organizationId', 'createdAt', 'id'])
export class ScimGroup {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scim_groups' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
