import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Passwords tried lately against one address or account; a row goes with the first right one. */
@Entity('password_attempts')
export class PasswordAttempt {
  /** SHA-256 of what is guarded, so that addresses of strangers are not kept. */
  @PrimaryColumn('bytea', { name: 'subject_hash', primaryKeyConstraintName: 'pk_password_attempts' })
  subjectHash!: Buffer;

  /** When each attempt within the window began. */
  @Column('timestamptz', { name: 'attempted_at', array: true })
  attemptedAt!: Date[];

  /** Null: never locked. */
  @Column('timestamptz', { name: 'locked_until', nullable: true })
  lockedUntil!: Date | null;

  @Index('ix_password_attempts_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
