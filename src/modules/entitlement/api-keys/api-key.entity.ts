import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ApiKeyScopeName, ProjectId } from '../../access/index.js';

@Entity('api_keys')
@Unique('uq_api_keys_key_hash', ['keyHash'])
@Index('ix_api_keys_project_id', ['projectId', 'createdAt'])
@Check('ck_api_keys_scopes', `scopes <@ ARRAY['events:read', 'events:write'] AND cardinality(scopes) > 0`)
@Check(
  'ck_api_keys_browser',
  `CASE WHEN allowed_origins IS NULL THEN rate_limit_per_minute IS NULL
   ELSE cardinality(allowed_origins) > 0 AND rate_limit_per_minute BETWEEN 1 AND 10000
     AND scopes = ARRAY['events:write'] AND source_id IS NOT NULL END`,
)
export class ApiKeyRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_keys' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** Null: the key belongs to the project and to no Event Source. */
  @Index('ix_api_keys_source_id', { where: 'source_id IS NOT NULL' })
  @Column('uuid', { name: 'source_id', nullable: true })
  sourceId!: string | null;

  @Column('text')
  name!: string;

  /** The eight characters shown in lists. */
  @Column('text')
  prefix!: string;

  /** SHA-256 of the key. */
  @Column('bytea', { name: 'key_hash' })
  keyHash!: Buffer;

  @Column('text', { array: true })
  scopes!: ApiKeyScopeName[];

  /** Null when the account of the person who created the key was deleted. */
  @Index('ix_api_keys_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** The time of the last use, which may be a minute old. Null when the key was never used. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Null when the key does not expire. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** The key that replaces this one. This key then works until `expiresAt` at most. Null: not rotated. */
  @Column('uuid', { name: 'rotated_to', nullable: true })
  rotatedTo!: string | null;

  /**
   * Origins of the pages on which a browser-safe key may be used. Null for an ordinary key, which may be used anywhere.
   */
  @Column('text', { name: 'allowed_origins', array: true, nullable: true })
  allowedOrigins!: string[] | null;

  /** Set for browser-safe keys. The service stores the value for clients and does not enforce it. */
  @Column('integer', { name: 'rate_limit_per_minute', nullable: true })
  rateLimitPerMinute!: number | null;
}
