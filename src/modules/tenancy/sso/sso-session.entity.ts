import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Names the provider that opened a session, so that a logout at the provider ends it. */
@Entity('sso_sessions')
@Index('ix_sso_sessions_subject', ['provider', 'subject'])
export class SsoSession {
  @PrimaryColumn('uuid', { name: 'session_id', primaryKeyConstraintName: 'pk_sso_sessions' })
  sessionId!: string;

  /** The id of a connection, or the name of a provider by configuration. */
  @Column('text')
  provider!: string;

  @Column('text')
  subject!: string;

  /** The provider's own name of its session. Null when it sends none. */
  @Column('text', { name: 'provider_session', nullable: true })
  providerSession!: string | null;
}
