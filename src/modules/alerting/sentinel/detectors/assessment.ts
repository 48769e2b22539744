import { FINDING_SEVERITIES, type FindingSeverity } from '../../../events/conditions/index.js';

export const SEVERITIES = FINDING_SEVERITIES;
export type Severity = FindingSeverity;

/**
 * The result of a detector for a bucket. `normal` counts towards the end of a finding. `unusual` keeps an open finding
 * open. `candidate` also opens a finding when the stream as a whole looks unusual. `told` opens a finding.
 */
export type Level = 'normal' | 'unusual' | 'candidate' | 'told';

export interface Assessment {
  readonly level: Level;
  readonly severity: Severity;
  /** The score runs from 0 (as expected) to 1 (nothing like it). */
  readonly score: number;
  readonly actual: number;
  readonly expected: number;
  /** A bucket between `lower` and `upper` is as usual. */
  readonly lower: number;
  readonly upper: number;
}

/** The fields of an assessment without its level. */
export type Figures = Omit<Assessment, 'level'>;

/**
 * Returns an assessment. The code lists the fields instead of spreading an object, and so does all code that makes an
 * object for each series in each bucket. Objects made by spreading stay in the old generation of the heap until a full
 * collection, 300 KB for each project and bucket (Node 20).
 */
export function assessed(level: Level, { severity, score, actual, expected, lower, upper }: Figures): Assessment {
  return { level, severity, score, actual, expected, lower, upper };
}

/** A probability so small that a thousand projects with fifty series each meet it less than twice an hour by chance. */
export const UNLIKELY = 1e-6;

/** The factor by which feedback has raised the bounds of a kind and series: 1, 1.5, 2.25 or 3.375. */
export type Raised = number;

/** Returns how far two figures lie from each other, from 0 to 1. */
export function distance(a: number, b: number): number {
  const [less, more] = a < b ? [a, b] : [b, a];
  return more <= 0 ? 0 : Math.min(1, Math.max(0, 1 - less / more));
}
