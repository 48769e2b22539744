import {
  BooleanField,
  DateTimeField,
  EnumField,
  enumOf,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  text,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import { BUCKET_MS } from '../baseline/buckets.js';
import { SEVERITIES, type Severity } from '../detectors/assessment.js';
import {
  FINDING_KINDS,
  type FindingKind,
  type Metric,
  METRICS,
  SERIES_TYPES,
  type SeriesType,
} from '../detection/finding-kinds.js';
import { type EvidencePoint, MOST_POINTS, POINTS_BEHIND } from './evidence.js';
import { FEEDBACK_REASONS, type FeedbackReason, type Finding } from './finding.entity.js';
import type { ListedFinding } from './finding-columns.js';
import { FINDING_STATUSES, type FindingStatus } from './finding-life.js';

const MAX_NOTE = 1_000;
const LONGEST_MUTE_HOURS = 720;

export class FindingsQuery {
  @UuidField({ description: 'Whose findings' })
  project_id!: string;

  @ListField(enumOf(FINDING_STATUSES), { optional: true, default: [], max: 20, description: 'Any of these' })
  status!: FindingStatus[];

  @ListField(enumOf(FINDING_KINDS), { optional: true, default: [], max: 20, description: 'Any of these' })
  kind!: FindingKind[];

  @ListField(enumOf(SEVERITIES), { optional: true, default: [], max: 20, description: 'Any of these' })
  severity!: Severity[];

  @TextField({ optional: true, max: 200, description: 'An event type or the id of an Event Source, exact' })
  series_value?: string;

  @DateTimeField({ optional: true, description: 'Began at this time or later' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Began before this time' })
  to_ts?: Date;

  @IntField({ min: 1, max: 100, optional: true, default: 25, description: 'How many findings a page has' })
  limit!: number;

  @IntField({
    min: 0,
    max: 9_007_199_254_740_991,
    optional: true,
    default: 0,
    description: 'How many of the newest are left out',
  })
  offset!: number;
}

export class AcknowledgeFindingRequest {
  @TextField({ max: MAX_NOTE, optional: true, nullable: true, description: 'For the audit record' })
  note?: string | null;
}

export class DismissFindingRequest {
  @EnumField(FEEDBACK_REASONS, {
    description:
      'expected mutes alone; not_useful and wrong also raise the bounds of this kind and series by half for 30 days',
  })
  reason!: FeedbackReason;

  @TextField({ max: MAX_NOTE, optional: true, nullable: true, description: 'For whoever looks at it later' })
  note?: string | null;

  @IntField({
    min: 0,
    max: LONGEST_MUTE_HOURS,
    optional: true,
    default: 24,
    description: 'No new finding of this kind and series for so many hours',
  })
  mute_hours!: number;
}

export class FindingSeriesResponse {
  @EnumField(SERIES_TYPES, { description: 'Whether the whole project, one Event Source or one event type' })
  type!: SeriesType;

  @TextField({ nullable: true, description: 'The event type, or the id of the Event Source; null: the project' })
  value!: string | null;

  @EnumField(METRICS, { description: 'What was measured of it' })
  metric!: Metric;
}

export class FindingFeedbackResponse {
  @EnumField(FEEDBACK_REASONS, { description: 'Why it was dismissed' })
  reason!: FeedbackReason;

  @TextField({ nullable: true, description: 'What was said beside the reason' })
  note!: string | null;
}

export class FindingResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @EnumField(FINDING_KINDS, { description: 'What is unusual' })
  kind!: FindingKind;

  @EnumField(FINDING_STATUSES, {
    description:
      'How far it has come: both `open` and `acknowledged` are resolved by themselves after three normal buckets',
  })
  status!: FindingStatus;

  @EnumField(SEVERITIES, { description: 'Of the worst bucket so far' })
  severity!: Severity;

  @NumberField({ min: 0, max: 1, description: 'How far from what was expected, of the worst bucket' })
  score!: number;

  @NestedField(() => FindingSeriesResponse, { description: 'What it is about' })
  series!: FindingSeriesResponse;

  @TextField({ description: 'A few words that tell it from others' })
  title!: string;

  @TextField({ description: 'A sentence with the numbers' })
  summary!: string;

  @NumberField({ nullable: true, description: 'Of the worst bucket; null for a new event type, like the next three' })
  actual!: number | null;

  @NumberField({ nullable: true, description: 'What was expected there' })
  expected!: number | null;

  @NumberField({ nullable: true, description: 'The least that would have been usual' })
  lower!: number | null;

  @NumberField({ nullable: true, description: 'The most that would have been usual' })
  upper!: number | null;

  @DateTimeField({ description: 'The beginning of its first bucket' })
  started_at!: string;

  @DateTimeField({ description: 'When it was first told' })
  detected_at!: string;

  @DateTimeField({ description: 'The beginning of its last bucket' })
  last_seen_at!: string;

  @DateTimeField({ nullable: true, description: 'When somebody took it on' })
  acknowledged_at!: string | null;

  @UuidField({ nullable: true, description: 'The member who did' })
  acknowledged_by!: string | null;

  @DateTimeField({ nullable: true, description: 'When it ended by itself' })
  resolved_at!: string | null;

  @DateTimeField({ nullable: true, description: 'When somebody dismissed it' })
  dismissed_at!: string | null;

  @UuidField({ nullable: true, description: 'The member who did' })
  dismissed_by!: string | null;

  @NestedField(() => FindingFeedbackResponse, {
    nullable: true,
    description: 'What was said of it when it was dismissed',
  })
  feedback!: FindingFeedbackResponse | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When a bucket or a member changed it last' })
  updated_at!: string;
}

export class FindingsResponse extends PageResponse {
  @ListField(nested(() => FindingResponse), { description: 'Findings, those that began last first' })
  items!: FindingResponse[];
}

export class EvidencePointResponse {
  @DateTimeField({ description: 'The beginning of the bucket' })
  ts!: string;

  @NumberField({ nullable: true, description: 'Null: nothing was measured' })
  actual!: number | null;

  @NumberField({ nullable: true, description: 'Null: the bucket was not judged; the same for the next two' })
  expected!: number | null;

  @NumberField({ nullable: true, description: 'The least that would have been usual' })
  lower!: number | null;

  @NumberField({ nullable: true, description: 'The most that would have been usual' })
  upper!: number | null;

  @BooleanField({ description: 'Whether the finding goes on in it' })
  is_anomalous!: boolean;
}

const METHODS = ['hour_of_week', 'recent'] as const;

export class EvidenceBaselineResponse {
  @DateTimeField({ description: 'The beginning of the history that was learned from' })
  from_ts!: string;

  @DateTimeField({ description: 'Its end' })
  to_ts!: string;

  @IntField({ min: 0, description: 'Buckets of history' })
  samples!: number;

  @EnumField(METHODS, { description: 'hour_of_week: by the same hour of earlier weeks; recent: of the last days' })
  method!: (typeof METHODS)[number];
}

const CONTRIBUTOR_FIELDS = ['event', 'source_id'] as const;

export class ContributorResponse {
  @EnumField(CONTRIBUTOR_FIELDS, { description: 'What the narrower series has in common' })
  field!: (typeof CONTRIBUTOR_FIELDS)[number];

  @TextField({ description: 'The event type, or the id of the Event Source' })
  value!: string;

  @NumberField({ min: 0, max: 1, description: 'Its share of the events of the bucket' })
  share!: number;

  @NumberField({ min: 0, max: 1, description: 'The share that was expected' })
  usual_share!: number;
}

export class EvidenceResponse {
  @IntField({ min: 300, max: 3_600, description: 'How long a bucket is: 300, and 3,600 for `cardinality_explosion`' })
  interval_seconds!: number;

  @ListField(nested(() => EvidencePointResponse), { description: 'At most 300, in the order of time' })
  points!: EvidencePointResponse[];

  @NestedField(() => EvidenceBaselineResponse, { description: 'What it was compared with' })
  baseline!: EvidenceBaselineResponse;

  @ListField(nested(() => ContributorResponse), {
    description: 'Narrower series that are told along with it, at most 5',
  })
  contributors!: ContributorResponse[];

  @ListField(text(), { description: 'Ids of at most 5 events' })
  sample_event_ids!: string[];
}

export class FindingWithEvidenceResponse extends FindingResponse {
  @NestedField(() => EvidenceResponse, { description: 'What the finding rests on' })
  evidence!: EvidenceResponse;
}

export function findingResponse(finding: ListedFinding): FindingResponse {
  const { seriesType: type, seriesValue, metric, feedbackReason, feedbackNote } = finding;
  return {
    id: finding.id,
    project_id: finding.projectId,
    kind: finding.kind,
    status: finding.status,
    severity: finding.severity,
    score: finding.score,
    series: { type, value: type === 'project' ? null : seriesValue, metric },
    title: finding.title,
    summary: finding.summary,
    actual: finding.actual,
    expected: finding.expected,
    lower: finding.lower,
    upper: finding.upper,
    started_at: finding.startedAt.toISOString(),
    detected_at: finding.detectedAt.toISOString(),
    last_seen_at: finding.lastSeenAt.toISOString(),
    acknowledged_at: finding.acknowledgedAt?.toISOString() ?? null,
    acknowledged_by: finding.acknowledgedBy,
    resolved_at: finding.resolvedAt?.toISOString() ?? null,
    dismissed_at: finding.dismissedAt?.toISOString() ?? null,
    dismissed_by: finding.dismissedBy,
    feedback: feedbackReason === null ? null : { reason: feedbackReason, note: feedbackNote },
    created_at: finding.createdAt.toISOString(),
    updated_at: finding.updatedAt.toISOString(),
  };
}

/** @param later the points after those that the finding opened with, in chronological order */
export function findingWithEvidence(finding: Finding, later: readonly EvidencePoint[]): FindingWithEvidenceResponse {
  const { points, sample_event_ids, ...evidence } = finding.evidence;
  // When buckets were skipped, the buckets that resolve a finding come after this time. Their points are not shown.
  const end = finding.lastSeenAt.getTime() + POINTS_BEHIND * BUCKET_MS;
  return {
    ...findingResponse(finding),
    evidence: {
      ...evidence,
      points: [...points, ...later].filter(({ ts }) => Date.parse(ts) <= end).slice(-MOST_POINTS),
      contributors: [...finding.contributors],
      sample_event_ids: [...sample_event_ids],
    },
  };
}

/** Returns the finding as the payload of alert events. */
export function findingPayload(finding: ListedFinding): Readonly<Record<string, unknown>> {
  return { ...findingResponse(finding) };
}
