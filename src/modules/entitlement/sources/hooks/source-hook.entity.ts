import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';

export const HOOK_SCHEMES = [
  'github',
  'stripe',
  'shopify',
  'slack',
  'standard-webhooks',
  'gitlab',
  'hmac-sha256',
  'none',
] as const;
export type HookScheme = (typeof HOOK_SCHEMES)[number];

export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/** The address that webhooks of one Event Source are sent to, and how they are verified. */
@Entity('source_hooks')
@Index('ix_source_hooks_project_id', ['projectId'])
@Index('uq_source_hooks_address', { synchronize: false })
@Index('ix_source_hooks_secret_key', { synchronize: false })
@Check('ck_source_hooks_address', 'octet_length(address) = 16')
@Check('ck_source_hooks_scheme', `scheme IN (${HOOK_SCHEMES.map((scheme) => `'${scheme}'`).join(', ')})`)
@Check('ck_source_hooks_secret', `(scheme = 'none') = (secret IS NULL)`)
@Check(
  'ck_source_hooks_signature',
  `(scheme = 'hmac-sha256') = (header IS NOT NULL AND encoding IS NOT NULL AND prefix IS NOT NULL) AND (encoding IS NULL OR encoding IN ('hex', 'base64'))`,
)
export class SourceHook {
  /** The id of the Event Source. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_source_hooks' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /**
   * The 128 random bits of the address. Lookups use the hash of these bits, so that the time of a lookup reveals
   * nothing about them.
   */
  @Column('bytea')
  address!: Buffer;

  @Column('text')
  scheme!: HookScheme;

  /** The secret that senders sign with, encrypted. */
  @Column('text', { nullable: true })
  secret!: string | null;

  /** The header with the signature, for `hmac-sha256`. */
  @Column('text', { nullable: true })
  header!: string | null;

  @Column('text', { nullable: true })
  encoding!: SignatureEncoding | null;

  /** The text in front of the signature; empty when there is none. */
  @Column('text', { nullable: true })
  prefix!: string | null;
}

export const HOOK_SECRET = new SealedColumn({ table: 'source_hooks', column: 'secret', tenant: 'project_id' });
