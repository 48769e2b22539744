import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An assertion or logout token that was used. Neither is accepted a second time. */
@Entity('sso_used_assertions')
export class SsoUsedAssertion {
  @PrimaryColumn('uuid', { name: 'connection_id', primaryKeyConstraintName: 'pk_sso_used_assertions' })
  connectionId!: string;

  @PrimaryColumn('bytea', { name: 'assertion_hash', primaryKeyConstraintName: 'pk_sso_used_assertions' })
  assertionHash!: Buffer;

  @Index('ix_sso_used_assertions_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
