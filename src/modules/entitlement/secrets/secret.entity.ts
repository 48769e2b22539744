import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProjectId, UserId } from '../../access/index.js';
import { SealedColumn } from '../../../platform/sealed-columns/index.js';

/** A value that is put in where a protected header names it (DECISIONS 12): stored encrypted, never answered. */
@Entity('project_secrets')
@Unique('uq_project_secrets_project_id_name', ['projectId', 'name'])
@Index('ix_project_secrets_value_key', { synchronize: false })
export class ProjectSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_project_secrets' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** Never changes: values name it. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Envelope of the cipher, bound to this row and version. */
  @Column('text')
  value!: string;

  /** Of the value: 1, then one more by each replacement. */
  @Column('integer')
  version!: number;

  /** At most a minute behind. Null: never. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Null: their account is gone. */
  @Index('ix_project_secrets_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: UserId | null;

  /** Who gave the present value. Null: their account is gone. */
  @Index('ix_project_secrets_updated_by')
  @Column('uuid', { name: 'updated_by', nullable: true })
  updatedBy!: UserId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Of the present value. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export const SECRET_VALUE = new SealedColumn({
  table: 'project_secrets',
  column: 'value',
  tenant: 'project_id',
  version: 'version',
});
