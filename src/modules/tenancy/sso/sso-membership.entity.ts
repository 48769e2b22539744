import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { GrantableRole } from '../organizations/index.js';

/**
 * Records that a person had a membership, so that a sign-in does not create it again after it has ended. A provider
 * writes the row when it creates the membership. When a membership ends, `made_by` becomes `person`, so that the role
 * of a later invitation does not follow groups. SCIM also writes such a row for a user that is created as inactive.
 */
@Entity('sso_memberships')
@Check('ck_sso_memberships_made_by', `made_by IN ('sign-in', 'scim', 'person')`)
@Check('ck_sso_memberships_role', `role IN ('viewer', 'member', 'operator', 'admin')`)
export class SsoMembership {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'pk_sso_memberships' })
  organizationId!: OrganizationId;

  @Index('ix_sso_memberships_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_sso_memberships' })
  userId!: UserId;

  @Column('text', { name: 'made_by' })
  madeBy!: 'sign-in' | 'scim' | 'person';

  /** The role that the provider has given last, or the last role of a membership with `made_by` `person`. */
  @Column('text')
  role!: GrantableRole;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
