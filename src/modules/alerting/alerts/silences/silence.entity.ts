import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';

/** For its time nobody is told of alert events that fit its filter. */
@Entity('alert_silences')
@Index('ix_alert_silences_project_id', ['projectId', 'endsAt'])
@Check('ck_alert_silences_times', 'starts_at <= ends_at')
export class Silence {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_silences' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** As it was checked; read it by `storedFilter`. */
  @Column('json')
  filter!: unknown;

  @Column('timestamptz', { name: 'starts_at' })
  startsAt!: Date;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** Null: the account is gone. */
  @Index('ix_alert_silences_created_by', { where: 'created_by IS NOT NULL' })
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** Counts the changes. */
  @Column('integer', { default: 1 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
