import { FINDING_SEVERITIES, type FindingSeverity } from '../../../events/conditions/index.js';

export const SEVERITIES = FINDING_SEVERITIES;
export type Severity = FindingSeverity;

/**
 * What a detector says of a bucket: `normal` counts towards the end of a finding, `unusual` keeps one that is open,
 * `candidate` also opens one where the stream as a whole looks unusual, and `told` opens one.
 */
export type Level = 'normal' | 'unusual' | 'candidate' | 'told';

export interface Assessment {
  readonly level: Level;
  readonly severity: Severity;
  /** 0 (as expected) to 1 (nothing like it). */
  readonly score: number;
  readonly actual: number;
  readonly expected: number;
  /** Between these a bucket is as usual. */
  readonly lower: number;
  readonly upper: number;
}

/** What an assessment says beside its level. */
export type Figures = Omit<Assessment, 'level'>;

/**
 * Written out, as everything that is made for each series in each bucket: what is made by spreading is left behind in old
 * memory until all of it is collected, 300 KB a project and bucket (Node 20).
 */
export function assessed(level: Level, { severity, score, actual, expected, lower, upper }: Figures): Assessment {
  return { level, severity, score, actual, expected, lower, upper };
}

/** A chance so small that a thousand projects with fifty series see it less than twice an hour by luck alone. */
export const UNLIKELY = 1e-6;

/** By how much feedback has raised the bounds of a kind and series: 1, 1.5, 2.25 or 3.375 times. */
export type Raised = number;

/** How far two figures lie from each other, 0 to 1. */
export function distance(a: number, b: number): number {
  const [less, more] = a < b ? [a, b] : [b, a];
  return more <= 0 ? 0 : Math.min(1, Math.max(0, 1 - less / more));
}
