import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrganizationId } from '../../access/index.js';

/** A domain that an organization claims. When one organization has verified it, no other organization can. */
@Entity('sso_domains')
@Unique('uq_sso_domains_organization_id_domain', ['organizationId', 'domain'])
@Index('uq_sso_domains_verified_domain', ['domain'], { unique: true, where: 'verified_at IS NOT NULL' })
@Check('ck_sso_domains_verified_by', `verified_by IN ('dns', 'platform')`)
export class SsoDomain {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sso_domains' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  /** The domain in lower-case A-labels. */
  @Column('text')
  domain!: string;

  /** The challenge that the DNS record must contain. */
  @Column('text')
  challenge!: string;

  @Column('timestamptz', { name: 'verified_at', nullable: true })
  verifiedAt!: Date | null;

  @Column('text', { name: 'verified_by', nullable: true })
  verifiedBy!: 'dns' | 'platform' | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
