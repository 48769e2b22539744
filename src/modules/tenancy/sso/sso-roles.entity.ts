import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrganizationId } from '../../access/index.js';
import type { GrantableRole } from '../organizations/index.js';

export interface GroupRole {
  /** The group's name at the provider, compared exactly. */
  readonly group: string;
  readonly role: GrantableRole;
}

/** The roles of people who join an organization through its identity providers. */
@Entity('sso_roles')
@Check('ck_sso_roles_default_role', `default_role IN ('viewer', 'member', 'operator', 'admin')`)
export class SsoRoles {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'pk_sso_roles' })
  organizationId!: OrganizationId;

  @Column('text', { name: 'default_role' })
  defaultRole!: GrantableRole;

  @Column('jsonb', { name: 'group_roles', default: '[]' })
  groupRoles!: GroupRole[];
}
