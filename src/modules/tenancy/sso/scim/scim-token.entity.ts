import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrganizationId, UserId } from '../../../access/index.js';

/** A token with which an identity provider manages the accounts of one organization. */
@Entity('scim_tokens')
@Unique('uq_scim_tokens_token_hash', ['tokenHash'])
export class ScimToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scim_tokens' })
  id!: string;

  @Index('ix_scim_tokens_organization_id')
  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  @Column('text')
  name!: string;

  /** SHA-256 of the token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Index('ix_scim_tokens_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: UserId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Null: the token does not expire. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
