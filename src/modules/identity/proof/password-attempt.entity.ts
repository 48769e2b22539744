import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Recent password attempts for one address or account. The first correct password deletes the row. */
@Entity('password_attempts')
export class PasswordAttempt {
  /** SHA-256 of the subject's name, so that addresses without an account are not stored in the clear. */
  @PrimaryColumn('bytea', { name: 'subject_hash', primaryKeyConstraintName: 'pk_password_attempts' })
  subjectHash!: Buffer;

  /** The start times of the attempts within the window. */
  @Column('timestamptz', { name: 'attempted_at', array: true })
  attemptedAt!: Date[];

  /** Null until the first lock. */
  @Column('timestamptz', { name: 'locked_until', nullable: true })
  lockedUntil!: Date | null;

  @Index('ix_password_attempts_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
