import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An assertion or logout token that was used. It is not accepted a second time. */
@Entity('sso_used_assertions')
export class SsoUsedAssertion {
  /** The id of a connection, or the name of a configured provider. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_sso_used_assertions' })
  provider!: string;

  @PrimaryColumn('bytea', { name: 'assertion_hash', primaryKeyConstraintName: 'pk_sso_used_assertions' })
  assertionHash!: Buffer;

  @Index('ix_sso_used_assertions_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
