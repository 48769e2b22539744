import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { GrantableRole } from '../organizations/index.js';

/**
 * Says that a person has had a membership, so that no sign-in makes it again after it has ended. A provider writes the row
 * when it makes the membership. When a membership ends, the row says that a person made it, so that the role of a later
 * invitation does not follow groups. SCIM also writes such a row for a user that is made inactive.
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

  /** The role that the provider gave last, or the last role of a membership that people made. */
  @Column('text')
  role!: GrantableRole;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
