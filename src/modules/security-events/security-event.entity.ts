import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One security-relevant act of or against an account (DECISIONS 2). */
@Entity('security_events')
@Index('ix_security_events_user_id', ['userId', 'createdAt'])
export class SecurityEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_security_events' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

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
}
