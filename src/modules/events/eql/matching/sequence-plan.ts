import type { SequenceQuery } from '../../eql-language/index.js';

/** A sequence with its runs expanded. Terms are numbered as written, and `until` has the number after the last term. */
export interface SequencePlan {
  /** The terms of the events that must be present, in order. */
  readonly stages: readonly number[];
  /**
   * For each stage, the terms that must be missing directly before it. The terms before the first stage are called
   * leading.
   */
  readonly gaps: readonly (readonly number[])[];
  /** The terms that must be missing after the last stage. */
  readonly trailing: readonly number[];
  /** The events of a result in the order of the query: the number of a stage, or null for a missing event. */
  readonly layout: readonly (number | null)[];
  readonly until: number | null;
  readonly maxspanMs: number | null;
}

export function sequencePlan({ terms, until, maxspanMs }: SequenceQuery): SequencePlan {
  const stages: number[] = [];
  const gaps: number[][] = [];
  const layout: (number | null)[] = [];
  let missing: number[] = [];
  for (const [number, { isMissing, runs }] of terms.entries()) {
    if (isMissing) missing.push(number);
    for (let run = 0; run < runs; run += 1) {
      layout.push(isMissing ? null : stages.length);
      if (isMissing) continue;
      stages.push(number);
      gaps.push(missing);
      missing = [];
    }
  }
  return { stages, gaps, trailing: missing, layout, until: until === null ? null : terms.length, maxspanMs };
}
