import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../access/index.js';

/**
 * The account that a provider's subject is linked to. Email addresses are not used, because an address can change its
 * owner and a subject cannot.
 */
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
