import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../access/index.js';
import type { ConditionKind } from '../../events/conditions/index.js';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

@Entity('alert_rules')
@Index('ix_alert_rules_project_id', ['projectId', 'createdAt'])
@Check('ck_alert_rules_severity', `severity IN ('info', 'warning', 'critical')`)
@Check('ck_alert_rules_last_error', `(last_error IS NULL) = (last_error_at IS NULL)`)
@Check('ck_alert_rules_kind', `kind IN ('match', 'threshold', 'rate_of_change', 'absence', 'anomaly')`)
@Check(
  'ck_alert_rules_seconds',
  `for_seconds BETWEEN 0 AND 86400 AND keep_firing_seconds BETWEEN 0 AND 86400 AND cooldown_seconds BETWEEN 0 AND 86400`,
)
export class AlertRule {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_rules' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  @Column('boolean', { name: 'is_enabled' })
  isEnabled!: boolean;

  @Column('text')
  severity!: Severity;

  /** That of the condition. */
  @Column('text')
  kind!: ConditionKind;

  /** As it was checked; read it by `storedCondition`. */
  @Column('json')
  condition!: unknown;

  @Column('text', { name: 'group_by', array: true })
  groupBy!: string[];

  @Column('integer', { name: 'for_seconds' })
  forSeconds!: number;

  @Column('integer', { name: 'keep_firing_seconds' })
  keepFiringSeconds!: number;

  @Column('integer', { name: 'cooldown_seconds' })
  cooldownSeconds!: number;

  /** Counts the changes of what is evaluated. */
  @Column('integer', { default: 1 })
  revision!: number;

  /** Since when events count for this rule: its creation, or when it was last enabled. */
  @Column('timestamptz', { name: 'watched_since', default: () => 'now()' })
  watchedSince!: Date;

  /** Null: the rule is off, or is woken by events. */
  @Index('ix_alert_rules_next_evaluation_at', { where: 'next_evaluation_at IS NOT NULL' })
  @Column('timestamptz', { name: 'next_evaluation_at', nullable: true })
  nextEvaluationAt!: Date | null;

  @Column('timestamptz', { name: 'last_evaluated_at', nullable: true })
  lastEvaluatedAt!: Date | null;

  /** Why the last evaluation failed, a sentence for people; null when it did not. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'last_error_at', nullable: true })
  lastErrorAt!: Date | null;

  /** Whether it tells its links alone: also once what they led to has been deleted. */
  @Column('boolean', { name: 'is_linked', default: false })
  isLinked!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
