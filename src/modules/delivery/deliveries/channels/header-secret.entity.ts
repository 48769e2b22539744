import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';

/** A reference from the value of a protected header to a secret, which cannot be deleted while a reference exists. */
@Entity('protected_header_secrets')
export class HeaderSecret {
  @PrimaryColumn('uuid', { name: 'header_id', primaryKeyConstraintName: 'pk_protected_header_secrets' })
  headerId!: string;

  @Index('ix_protected_header_secrets_secret_id')
  @PrimaryColumn('uuid', { name: 'secret_id', primaryKeyConstraintName: 'pk_protected_header_secrets' })
  secretId!: string;

  @Index('ix_protected_header_secrets_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;
}
