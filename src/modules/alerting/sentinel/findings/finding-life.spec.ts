import { describe, expect, it } from '@jest/globals';
import { type FindingMove, type FindingStatus, type ActiveFinding, moveOf } from './finding-life.js';

const BUCKET = 1_000;
const LEVELS = ['normal', 'unusual', 'told'] as const;

/** The newest finding of a subject, in each state that it can be in. */
const FINDINGS = {
  none: null,
  'open after one normal bucket': { status: 'open', normal: 1, resolvedIn: null },
  'open after two normal buckets': { status: 'open', normal: 2, resolvedIn: null },
  'acknowledged after one normal bucket': { status: 'acknowledged', normal: 1, resolvedIn: null },
  'acknowledged after two normal buckets': { status: 'acknowledged', normal: 2, resolvedIn: null },
  'resolved one bucket ago': { status: 'resolved', normal: 3, resolvedIn: BUCKET - 1 },
  'resolved 30 minutes ago': { status: 'resolved', normal: 3, resolvedIn: BUCKET - 6 },
  'resolved 35 minutes ago': { status: 'resolved', normal: 3, resolvedIn: BUCKET - 7 },
  dismissed: { status: 'dismissed', normal: 0, resolvedIn: null },
  'dismissed after it was resolved': { status: 'dismissed', normal: 3, resolvedIn: BUCKET - 1 },
} as const satisfies Readonly<Record<string, ActiveFinding | null>>;
type Name = keyof typeof FINDINGS;

/** The moves for each level, and for `told` while the subject is muted. */
const MOVES: Readonly<Record<Name, readonly [normal: Move, unusual: Move, told: Move, muted: Move]>> = {
  none: [null, null, 'open', null],
  'open after one normal bucket': [null, 'extend', 'extend', 'extend'],
  'open after two normal buckets': ['resolve', 'extend', 'extend', 'extend'],
  'acknowledged after one normal bucket': [null, 'extend', 'extend', 'extend'],
  'acknowledged after two normal buckets': ['resolve', 'extend', 'extend', 'extend'],
  'resolved one bucket ago': [null, null, 'reopen', null],
  'resolved 30 minutes ago': [null, null, 'reopen', null],
  'resolved 35 minutes ago': [null, null, 'open', null],
  dismissed: [null, null, 'open', null],
  'dismissed after it was resolved': [null, null, 'open', null],
};
type Move = FindingMove | null;

describe('the newest finding of a subject', () => {
  it.each(Object.keys(FINDINGS) as Name[])('changes with the level of a bucket in the state "%s"', (name) => {
    const finding = FINDINGS[name];
    const moves = LEVELS.map((level) => moveOf(finding, level, BUCKET, false));
    expect([...moves, moveOf(finding, 'told', BUCKET, true)]).toEqual(MOVES[name]);
  });

  it.each<FindingStatus>(['open', 'acknowledged', 'resolved', 'dismissed'])(
    'continues and ends when it is muted, but does not begin, in the state "%s"',
    (status) => {
      for (const level of LEVELS) {
        for (const normal of [0, 1, 2]) {
          const finding = { status, normal, resolvedIn: status === 'resolved' ? BUCKET - 1 : null };
          const [heard, muted] = [false, true].map((isMuted) => moveOf(finding, level, BUCKET, isMuted));
          expect(muted).toBe(heard === 'open' || heard === 'reopen' ? null : heard);
        }
      }
    },
  );
});
