import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Every refresh token of a session. Used tokens are kept so that a second use is detected. */
@Entity('refresh_tokens')
@Index('ix_refresh_tokens_session_id', ['sessionId', 'generation'])
@Index('uq_refresh_tokens_living', ['sessionId'], { unique: true, where: 'used_at IS NULL AND superseded_at IS NULL' })
export class RefreshToken {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'pk_refresh_tokens' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('integer')
  generation!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** The time at which the token was exchanged for the next generation. */
  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  /** IP address of the client that exchanged the token. */
  @Column('text', { name: 'used_ip', nullable: true })
  usedIp!: string | null;

  @Column('text', { name: 'used_user_agent', nullable: true })
  usedUserAgent!: string | null;

  /**
   * Set when an earlier version of the service drew the token at random and the token was replaced because its
   * predecessor was used again. A superseded token is refused, but its use is no sign of theft.
   */
  @Column('timestamptz', { name: 'superseded_at', nullable: true })
  supersededAt!: Date | null;
}
