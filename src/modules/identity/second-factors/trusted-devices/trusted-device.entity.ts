import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** A device whose token replaces the second factor at sign-in. */
@Entity('trusted_devices')
@Unique('uq_trusted_devices_token_hash', ['tokenHash'])
@Index('ix_trusted_devices_user_id', ['userId', 'createdAt'])
export class TrustedDevice {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_trusted_devices' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  /** SHA-256 of the token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', default: () => 'now()' })
  lastUsedAt!: Date;

  /** 30 days after the device was trusted. Use of the device does not extend this time. */
  @Index('ix_trusted_devices_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
