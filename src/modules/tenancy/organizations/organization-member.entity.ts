import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, Role, UserId } from '../../access/index.js';

@Entity('organization_members')
@Check('ck_organization_members_role', `role IN ('viewer', 'member', 'operator', 'admin', 'owner')`)
@Index('uq_organization_members_owner', ['organizationId'], { unique: true, where: `role = 'owner'` })
export class OrganizationMember {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'pk_organization_members' })
  organizationId!: OrganizationId;

  @Index('ix_organization_members_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_organization_members' })
  userId!: UserId;

  @Column('text')
  role!: Role;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
