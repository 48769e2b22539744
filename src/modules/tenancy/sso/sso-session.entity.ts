import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SealedColumn } from '../../../platform/sealed-columns/index.js';

/** The provider that opened a session. It is stored so that a logout at the provider can end the session. */
@Entity('sso_sessions')
@Index('ix_sso_sessions_subject', ['provider', 'subject'])
@Index('ix_sso_sessions_id_token_key', { synchronize: false })
export class SsoSession {
  @PrimaryColumn('uuid', { name: 'session_id', primaryKeyConstraintName: 'pk_sso_sessions' })
  sessionId!: string;

  /** The id of a connection, or the name of a configured provider. */
  @Column('text')
  provider!: string;

  @Column('text')
  subject!: string;

  /** The provider's id of its own session. Null when the provider sends none. */
  @Column('text', { name: 'provider_session', nullable: true })
  providerSession!: string | null;

  /**
   * The ID token of the sign-in, encrypted by `CredentialCipher` (see {@link ID_TOKEN}). Null when the provider sent
   * none, when it is too large, or when encryption is off.
   */
  @Column('text', { name: 'id_token', nullable: true })
  idToken!: string | null;
}

export const ID_TOKEN = new SealedColumn({
  table: 'sso_sessions',
  column: 'id_token',
  id: 'session_id',
  tenant: 'session_id',
});
