import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProjectId, UserId } from '../../access/index.js';
import { SealedColumn } from '../../../platform/sealed-columns/index.js';

/**
 * A secret of a project. Its value replaces its name in protected headers and in parameters of templates. The value is
 * stored encrypted and never returned.
 */
@Entity('project_secrets')
@Unique('uq_project_secrets_project_id_name', ['projectId', 'name'])
@Index('ix_project_secrets_value_key', { synchronize: false })
export class ProjectSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_project_secrets' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** The name never changes, because other places refer to it. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** The encrypted value, bound to this row and version. */
  @Column('text')
  value!: string;

  /** The version of the value: 1, then one more with each replacement. */
  @Column('integer')
  version!: number;

  /** The time of the last use, which may be a minute old. Null when the secret was never used. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Null when the account was deleted. */
  @Index('ix_project_secrets_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: UserId | null;

  /** The person who set the present value. Null when the account was deleted. */
  @Index('ix_project_secrets_updated_by')
  @Column('uuid', { name: 'updated_by', nullable: true })
  updatedBy!: UserId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** The time at which the present value was set. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export const SECRET_VALUE = new SealedColumn({
  table: 'project_secrets',
  column: 'value',
  tenant: 'project_id',
  version: 'version',
});
