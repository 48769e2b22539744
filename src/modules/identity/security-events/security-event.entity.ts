import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

/** One security-relevant action of the account's owner or against the account. */
@Entity('security_events')
@Index('ix_security_events_user_id', ['userId', 'createdAt'])
@Index('ix_security_events_notice_to', ['userId', 'createdAt'], { where: 'notice_to IS NOT NULL' })
@Index('ix_security_events_of_nobody', ['createdAt'], {
  where: `user_id IS NULL AND type <> 'sso_refused'`,
})
@Index('ix_security_events_sso_refused', { synchronize: false })
export class SecurityEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_security_events' })
  id!: string;

  /**
   * Null when the address has no account. Such a row is written so that the request costs the same, and maintenance
   * deletes it. A refused sign-in by a provider has no account either, and is kept for 30 days.
   */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  @Column('text')
  type!: string;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;

  @Column('jsonb', { default: {} })
  detail!: Record<string, unknown>;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** The address that must still be mailed about the event. Null when no mail is due or the mail was sent. */
  @Column('text', { name: 'notice_to', nullable: true })
  noticeTo!: string | null;

  /** The time at which the mail was last claimed for sending. */
  @Column('timestamptz', { name: 'notice_at', nullable: true })
  noticeAt!: Date | null;
}
