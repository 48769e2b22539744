import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../../access/index.js';
import type { ScimEmail } from './users/user-document.js';

/** An account as an identity provider manages it. Its SCIM id is the id of the account. */
@Entity('scim_users')
@Index('uq_scim_users_external_id', ['organizationId', 'externalId'], {
  unique: true,
  where: 'external_id IS NOT NULL',
})
@Index('uq_scim_users_user_name_key', ['organizationId', 'userNameKey'], { unique: true, where: 'deleted_at IS NULL' })
@Index('ix_scim_users_created_at', ['organizationId', 'createdAt', 'userId'])
export class ScimUser {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'pk_scim_users' })
  organizationId!: OrganizationId;

  @Index('ix_scim_users_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_scim_users' })
  userId!: UserId;

  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column('text', { name: 'user_name' })
  userName!: string;

  /** The result of `emailKeyOf`. */
  @Column('text', { name: 'user_name_key' })
  userNameKey!: string;

  @Column('text', { name: 'display_name', nullable: true })
  displayName!: string | null;

  @Column('text', { name: 'given_name', nullable: true })
  givenName!: string | null;

  @Column('text', { name: 'family_name', nullable: true })
  familyName!: string | null;

  @Column('text', { name: 'formatted_name', nullable: true })
  formattedName!: string | null;

  /** The addresses that the provider has sent. The service itself uses only the user name. */
  @Column('jsonb', { default: '[]' })
  emails!: ScimEmail[];

  /** Whether SCIM has created the account for this organization. */
  @Column('boolean', { name: 'is_account_made', default: false })
  isAccountMade!: boolean;

  /** The state that the provider has set last. The membership of an inactive person has ended. */
  @Column('boolean')
  active!: boolean;

  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;

  /** Set when the provider has deleted the user. The row stays, so that the provider can create the user again. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
