import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { GrantableRole } from '../organizations/index.js';

/** Says that an identity provider has made a membership, so that no sign-in makes it again after it has ended. */
@Entity('sso_memberships')
@Check('ck_sso_memberships_made_by', `made_by IN ('sign-in', 'scim')`)
@Check('ck_sso_memberships_role', `role IN ('viewer', 'member', 'operator', 'admin')`)
export class SsoMembership {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'pk_sso_memberships' })
  organizationId!: OrganizationId;

  @Index('ix_sso_memberships_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_sso_memberships' })
  userId!: UserId;

  @Column('text', { name: 'made_by' })
  madeBy!: 'sign-in' | 'scim';

  /** The role that the provider gave last. */
  @Column('text')
  role!: GrantableRole;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
