import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Every refresh token of a session, so that a second use of an old one is noticed. */
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

  /** When it was exchanged for the next generation. */
  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  /** The client of that exchange. */
  @Column('text', { name: 'used_ip', nullable: true })
  usedIp!: string | null;

  @Column('text', { name: 'used_user_agent', nullable: true })
  usedUserAgent!: string | null;

  /** Versions that drew each token at random replaced it when its predecessor was repeated. Its use is refused, but is no sign of theft. */
  @Column('timestamptz', { name: 'superseded_at', nullable: true })
  supersededAt!: Date | null;
}
