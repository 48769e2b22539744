import type { Bucket } from '../baseline/buckets.js';
import type { Level } from '../detectors/assessment.js';

export const FINDING_STATUSES = ['open', 'acknowledged', 'resolved', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** Normal buckets in a row that end a finding. */
const NORMAL_BUCKETS = 3;
/** After a resolve the same subject takes its finding up again for so long: 30 minutes. */
const REOPEN_BUCKETS = 6;

/** The newest finding of a subject, as far as its life goes. */
export interface LivingFinding {
  readonly status: FindingStatus;
  /** Buckets in a row that were judged normal up to now: such as were never judged do not count. */
  readonly normal: number;
  /** The bucket that ended it. */
  readonly resolvedIn: Bucket | null;
}

export type FindingMove = 'open' | 'reopen' | 'extend' | 'resolve';

/**
 * What a bucket does to the newest finding of its subject; null: nothing.
 * @param level with `candidate` already settled: nothing is told on account of one
 */
export function moveOf(
  finding: LivingFinding | null,
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

/** What people do to a finding, and what they are told where it cannot be. */
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
