import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../access/index.js';

/** Whose account a provider's subject is. Addresses play no part in it: they change hands, subjects do not. */
@Entity('oauth_identities')
@Unique('uq_oauth_identities_user_id_issuer', ['userId', 'issuer'])
export class OAuthIdentity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_oauth_identities' })
  issuer!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_oauth_identities' })
  subject!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
