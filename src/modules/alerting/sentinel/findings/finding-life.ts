import type { Bucket } from '../baseline/buckets.js';
import type { Level } from '../detectors/assessment.js';

export const FINDING_STATUSES = ['open', 'acknowledged', 'resolved', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** A finding is resolved after this many normal buckets in a row. */
const NORMAL_BUCKETS = 3;
/** A resolved finding is reopened when its subject is reported again within this many buckets: 30 minutes. */
const REOPEN_BUCKETS = 6;

/** The fields of a subject's newest finding that decide how a bucket changes the finding. */
export interface ActiveFinding {
  readonly status: FindingStatus;
  /** How many buckets in a row were normal up to now. Buckets that were never evaluated do not count. */
  readonly normal: number;
  /** The bucket that resolved the finding. */
  readonly resolvedIn: Bucket | null;
}

export type FindingMove = 'open' | 'reopen' | 'extend' | 'resolve';

/**
 * Returns how a bucket changes the newest finding of its subject; null when the status stays.
 * @param level the level after candidates were confirmed or rejected
 */
export function moveOf(
  finding: ActiveFinding | null,
  level: Exclude<Level, 'candidate'>,
  bucket: Bucket,
  isMuted: boolean,
): FindingMove | null {
  if (finding !== null && (finding.status === 'open' || finding.status === 'acknowledged')) {
    if (level !== 'normal') return 'extend';
    return finding.normal + 1 >= NORMAL_BUCKETS ? 'resolve' : null;
  }
  if (level !== 'told' || isMuted) return null;
  const endedIn = finding?.status === 'resolved' ? finding.resolvedIn : null;
  return endedIn !== null && bucket - endedIn <= REOPEN_BUCKETS ? 'reopen' : 'open';
}

/** The actions of people on a finding, and the reasons to refuse an action. */
export type FindingAct = 'acknowledge' | 'dismiss';
export type FindingFault = 'already_acknowledged' | 'resolved' | 'dismissed' | 'already_dismissed';

export function faultOf(status: FindingStatus, act: FindingAct): FindingFault | null {
  if (act === 'dismiss') return status === 'dismissed' ? 'already_dismissed' : null;
  switch (status) {
    case 'open':
      return null;
    case 'acknowledged':
      return 'already_acknowledged';
    case 'resolved':
      return 'resolved';
    case 'dismissed':
      return 'dismissed';
  }
}
