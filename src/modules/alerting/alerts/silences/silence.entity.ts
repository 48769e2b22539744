import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';

/** Suppresses the notifications of alert events that match its filter, from `startsAt` to `endsAt`. */
@Entity('alert_silences')
@Index('ix_alert_silences_project_id', ['projectId', 'endsAt'])
@Check('ck_alert_silences_times', 'starts_at <= ends_at')
export class Silence {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_silences' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** The validated filter. `storedFilter` reads it. */
  @Column('json')
  filter!: unknown;

  @Column('timestamptz', { name: 'starts_at' })
  startsAt!: Date;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** Null: the account has been deleted. */
  @Index('ix_alert_silences_created_by', { where: 'created_by IS NOT NULL' })
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** 1 for a new silence, one more with each change. */
  @Column('integer', { default: 1 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
