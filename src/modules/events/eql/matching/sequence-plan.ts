import type { SequenceQuery } from '../../eql-language/index.js';

/** A sequence with its runs spelled out. Terms are numbers: their places as written, `until` behind them. */
export interface SequencePlan {
  /** The terms of the events that are there, in their order. */
  readonly stages: readonly number[];
  /** By stage: the terms that must be missing just before it; before the first those that lead. */
  readonly gaps: readonly (readonly number[])[];
  /** The terms that must be missing behind the last stage. */
  readonly trailing: readonly number[];
  /** What an answer shows, in the order of the query: a stage, or null for a missing event. */
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
