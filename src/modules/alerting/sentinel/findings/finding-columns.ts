import type { Finding } from './finding.entity.js';

/** A finding as lists show it. */
export type ListedFinding = Omit<Finding, 'evidence' | 'contributors' | 'normalBuckets'>;
/** The part of a finding that later buckets may change: all but the evidence of its opening. */
export type ActiveFindingRow = Omit<Finding, 'evidence'>;

/** Selects the columns of a listed finding from `sentinel_findings f`. */
export const LISTED_COLUMNS = `f.id, f.project_id AS "projectId", f.kind, f.series_type AS "seriesType",
  f.series_value AS "seriesValue", f.metric, f.status, f.severity, f.score, f.title, f.summary, f.actual, f.expected, f.lower,
  f.upper, f.started_at AS "startedAt", f.detected_at AS "detectedAt", f.last_seen_at AS "lastSeenAt",
  f.acknowledged_at AS "acknowledgedAt", f.acknowledged_by AS "acknowledgedBy", f.resolved_at AS "resolvedAt",
  f.dismissed_at AS "dismissedAt", f.dismissed_by AS "dismissedBy", f.feedback_reason AS "feedbackReason",
  f.feedback_note AS "feedbackNote", f.created_at AS "createdAt", f.updated_at AS "updatedAt"`;
export const ACTIVE_COLUMNS = `${LISTED_COLUMNS}, f.normal_buckets AS "normalBuckets", f.contributors`;
