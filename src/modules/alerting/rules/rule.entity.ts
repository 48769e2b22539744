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

  /** Repeats the `kind` of the condition, so that SQL can filter by it. */
  @Column('text')
  kind!: ConditionKind;

  /** The validated condition. Read it with `storedCondition`. */
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

  @Column('text', { name: 'runbook_url', nullable: true })
  runbookUrl!: string | null;

  @Column('text', { nullable: true })
  notes!: string | null;

  /** Grows by one when the condition, the grouping or `is_enabled` changes. */
  @Column('integer', { default: 1 })
  revision!: number;

  /**
   * The rule ignores events from before this time: its creation, or the last change of its kind, grouping or
   * `is_enabled`. While the project is archived, evaluations on windows advance this time.
   */
  @Column('timestamptz', { name: 'watched_since', default: () => 'now()' })
  watchedSince!: Date;

  /** Null when the rule is disabled, or when events or findings trigger it. */
  @Index('ix_alert_rules_next_evaluation_at', { where: 'next_evaluation_at IS NOT NULL' })
  @Column('timestamptz', { name: 'next_evaluation_at', nullable: true })
  nextEvaluationAt!: Date | null;

  @Column('timestamptz', { name: 'last_evaluated_at', nullable: true })
  lastEvaluatedAt!: Date | null;

  /** Says in a sentence for people why the last evaluation failed; null when it did not. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'last_error_at', nullable: true })
  lastErrorAt!: Date | null;

  /** Whether the rule notifies only its linked destinations and channels. Stays true after all of them were deleted. */
  @Column('boolean', { name: 'is_linked', default: false })
  isLinked!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
