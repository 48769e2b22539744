import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { Severity } from '../detectors/assessment.js';
import type { FindingKind, Metric, SeriesType } from '../detection/finding-kinds.js';
import type { Contributor, Evidence } from './evidence.js';
import type { FindingStatus } from './finding-life.js';

export const FEEDBACK_REASONS = ['expected', 'not_useful', 'wrong'] as const;
export type FeedbackReason = (typeof FEEDBACK_REASONS)[number];

/** Something unusual that Sentinel has found in a series of a project. */
@Entity('sentinel_findings')
@Index('uq_sentinel_findings_unresolved', ['projectId', 'kind', 'seriesType', 'seriesValue', 'metric'], {
  unique: true,
  where: `status IN ('open', 'acknowledged')`,
})
@Index('ix_sentinel_findings_started_at', ['projectId', 'startedAt', 'id'])
@Index('ix_sentinel_findings_last_seen_at', ['projectId', 'lastSeenAt'])
@Index('ix_sentinel_findings_updated_at', ['updatedAt'], { where: `status IN ('resolved', 'dismissed')` })
@Check('ck_sentinel_findings_status', `status IN ('open', 'acknowledged', 'resolved', 'dismissed')`)
@Check('ck_sentinel_findings_severity', `severity IN ('info', 'warning', 'critical')`)
@Check('ck_sentinel_findings_score', 'score >= 0 AND score <= 1')
export class Finding {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sentinel_findings' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  kind!: FindingKind;

  @Column('text', { name: 'series_type' })
  seriesType!: SeriesType;

  /** The event type or the id of the Event Source; empty for the project. */
  @Column('text', { name: 'series_value' })
  seriesValue!: string;

  @Column('text')
  metric!: Metric;

  @Column('text')
  status!: FindingStatus;

  @Column('text')
  severity!: Severity;

  @Column('double precision')
  score!: number;

  @Column('text')
  title!: string;

  @Column('text')
  summary!: string;

  /**
   * Like `expected`, `lower` and `upper`, a figure of the worst bucket. Null for a new event type, which has no
   * figures.
   */
  @Column('double precision', { nullable: true })
  actual!: number | null;

  @Column('double precision', { nullable: true })
  expected!: number | null;

  @Column('double precision', { nullable: true })
  lower!: number | null;

  @Column('double precision', { nullable: true })
  upper!: number | null;

  /** The beginning of the first bucket of the finding. */
  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  @Column('timestamptz', { name: 'detected_at' })
  detectedAt!: Date;

  /** The beginning of the last bucket that was not normal. */
  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date;

  @Column('timestamptz', { name: 'acknowledged_at', nullable: true })
  acknowledgedAt!: Date | null;

  @Index('ix_sentinel_findings_acknowledged_by', { where: 'acknowledged_by IS NOT NULL' })
  @Column('uuid', { name: 'acknowledged_by', nullable: true })
  acknowledgedBy!: string | null;

  /** The beginning of the bucket that resolved the finding. */
  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt!: Date | null;

  @Column('timestamptz', { name: 'dismissed_at', nullable: true })
  dismissedAt!: Date | null;

  @Index('ix_sentinel_findings_dismissed_by', { where: 'dismissed_by IS NOT NULL' })
  @Column('uuid', { name: 'dismissed_by', nullable: true })
  dismissedBy!: string | null;

  @Column('text', { name: 'feedback_reason', nullable: true })
  feedbackReason!: FeedbackReason | null;

  @Column('text', { name: 'feedback_note', nullable: true })
  feedbackNote!: string | null;

  /** The number of evaluated buckets in a row, up to now, in which the finding did not continue. */
  @Column('integer', { name: 'normal_buckets', default: 0 })
  normalBuckets!: number;

  @Column('json', { default: [] })
  contributors!: readonly Contributor[];

  @Column('json')
  evidence!: Evidence;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
