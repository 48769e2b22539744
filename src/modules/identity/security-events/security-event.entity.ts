import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

/** One security-relevant act of or against an account (DECISIONS 2). */
@Entity('security_events')
@Index('ix_security_events_user_id', ['userId', 'createdAt'])
@Index('ix_security_events_notice_to', ['userId', 'createdAt'], { where: 'notice_to IS NOT NULL' })
@Index('ix_security_events_of_nobody', ['createdAt'], { where: 'user_id IS NULL' })
export class SecurityEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_security_events' })
  id!: string;

  /** Null: of an address without an account, written so that it costs the same and removed by maintenance. */
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

  /** Whom a mail about it is still to be sent to; null: nobody, or it was sent. */
  @Column('text', { name: 'notice_to', nullable: true })
  noticeTo!: string | null;

  /** When that mail was last begun. */
  @Column('timestamptz', { name: 'notice_at', nullable: true })
  noticeAt!: Date | null;
}
